"""Programs for AMD GPUs, built once, and the emulator that runs them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from scripts.instructions.machine import Machine
from tests.cli.test_build import built
from tests.fixtures import programs
from tests.shared import EVERYTHING, made_once

TARGETS = ("gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201")
_SLOW = ("launch_forms", "transformer_block")
_WITH_MODULES = ("driver_api",)
"""Has a module to build; test_all_programs.py runs it."""

PLANTED = Path(__file__).parent / "planted.hip"
"""The program into whose machine code tests plant defects."""

Fat = Callable[..., Path]


def fixture_programs() -> list[programs.Program]:
    """Return the fixture programs to run."""
    excluded = _WITH_MODULES if EVERYTHING else (*_WITH_MODULES, *_SLOW)
    return [program for program in programs.find() if program.name not in excluded]


PROGRAMS = tuple(program.name for program in fixture_programs())


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder with the emulator in it."""

    def make(folder: Path) -> None:
        from hipport.emulate.library import library_folder
        from hipport.toolchain.places import Surroundings

        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("XDG_CACHE_HOME", str(folder))
            library_folder(Surroundings(), lambda text: None)

    return made_once(tmp_path_factory, "emulator", make)


@pytest.fixture(scope="session")
def machine(cache: Path) -> Machine:
    """The emulator, for single instructions."""
    return Machine(next((cache / "hipport" / "emulator").glob("*/libamdhip64.so")))


@pytest.fixture(scope="session")
def executables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with PROGRAMS, each for all TARGETS."""

    def make(folder: Path) -> None:
        for program in programs.find():
            if program.name in PROGRAMS:
                sources = [str(program.folder / name) for name in program.sources]
                options = [option for name in program.include_dirs for option in ("-I", str(program.folder / name))]
                product = str(folder / program.name)
                built("--offload-arch", ",".join(TARGETS), "-o", product, *options, *sources, cwd=folder)

    return made_once(tmp_path_factory, "emulated-programs", make)


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
