"""Programs for AMD GPUs, built once, and the emulator that runs them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from scripts.instructions.machine import Machine, Vectors
from tests.cli.test_build import built
from tests.fixtures import programs
from tests.llvm_releases import NEWER
from tests.session_cache import session_cache
from tests.shared import EVERYTHING, made_once

WAVE_64 = ("gfx90a", "gfx942", *(("gfx950",) if NEWER >= 20 else ()))
WAVE_32 = ("gfx1030", "gfx1100", "gfx1151", "gfx1201")
TARGETS = (*WAVE_64, *WAVE_32)
"""The emulated targets by the size of their wavefronts; gfx950 if a compiler knows it."""
GENERATIONS = ("gfx90a", "gfx1030", "gfx1100", "gfx1201")
"""One target for each encoding of instructions."""
_LONG = ("launch_forms", "transformer_block")
"""Take long to build or to run."""
_WITH_MODULES = ("driver_api",)
"""Has a module to build; test_all_programs.py runs it."""

PLANTED = Path(__file__).parent / "planted.hip"
"""The program into whose machine code tests plant defects."""

Fat = Callable[..., Path]


def spread(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return two targets for each name, with wavefronts of 64 and of 32 lanes, so that names take turns with targets.

    What takes long runs on one of 32 lanes only. With `HIPPORT_TEST_ALL=1` all run on all targets.
    """
    found = {}
    for i, name in enumerate(sorted(names)):
        pair = WAVE_64[i % len(WAVE_64)], WAVE_32[i % len(WAVE_32)]
        found[name] = TARGETS if EVERYTHING else pair[1:] if name in _LONG else pair
    return found


FIXTURES = {program.name: program for program in programs.find() if program.name not in _WITH_MODULES}
RUNS = [(name, target) for name, targets in spread(FIXTURES).items() for target in targets]
"""The fixture programs with the targets that they run on."""


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cache folder of this session, with the emulator in it."""
    from hipport.emulate.library import library_folder
    from hipport.toolchain.places import Surroundings

    folder = session_cache(tmp_path_factory)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        library_folder(Surroundings(), lambda text: None)
    return folder


@pytest.fixture(scope="session")
def machine(cache: Path) -> Machine:
    """The emulator, for single instructions."""
    return Machine(next((cache / "hipport" / "emulator").glob("*/libamdhip64.so")))


@pytest.fixture(params=[Vectors.AVX2, Vectors.AVX512], ids=lambda vectors: vectors.name)
def vectors(request: pytest.FixtureRequest, machine: Machine) -> Vectors:
    """Each of the host's instruction sets for which sequences are translated."""
    if request.param > machine.vectors:
        pytest.skip(f"the processor has no {request.param.name}")
    return Vectors(request.param)


@pytest.fixture(scope="session")
def executable(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A function that builds a fixture program for its targets, once for all workers, and returns its path."""

    def make(name: str) -> Path:
        def fill(folder: Path) -> None:
            program = FIXTURES[name]
            sources = [str(program.folder / source) for source in program.sources]
            options = [option for one in program.include_dirs for option in ("-I", str(program.folder / one))]
            targets = ",".join(spread(FIXTURES)[name])
            built("--offload-arch", targets, "-o", str(folder / name), *options, *sources, cwd=folder)

        return made_once(tmp_path_factory, f"emulated-{name}", fill) / name

    return make


@pytest.fixture(scope="session")
def fat(tmp_path_factory: pytest.TempPathFactory) -> Fat:
    """A function that builds a program for targets, once for all workers, and returns its path."""

    def make(name: str, sources: Iterable[Path], *options: str, targets: Iterable[str] = TARGETS) -> Path:
        def fill(folder: Path) -> None:
            files = map(str, sources)
            built("--offload-arch", ",".join(targets), "-o", name, *options, *files, cwd=folder)

        return made_once(tmp_path_factory, f"emulated-{name}", fill) / name

    return make


def emulated(*arguments: str, cwd: Path, cache: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `hipport run` with arguments."""
    variables = {**os.environ, "XDG_CACHE_HOME": str(cache), **environment}
    command = [sys.executable, "-m", "hipport", "run", *arguments]
    return subprocess.run(command, cwd=cwd, env=variables, capture_output=True, text=True, check=False, timeout=300)
