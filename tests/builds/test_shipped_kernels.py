"""For all CUDA code that ships, every kernel that the host registers is in every code object.

Of the engine and the kernels of `hipport llm`, the libraries are read that other tests run; with `HIPPORT_TEST_ALL=1`
engines of all kinds are built for each target. Fixture programs are not built here: each `hipport build` of one checks
the same in its link step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from hipport.codeobject import read
from hipport.llm.weights.formats import PACKED, Activations, Cache, Formats
from tests.cli.test_build import built
from tests.emulate.conftest import TARGETS
from tests.llm.amd_libraries import GENERAL_ENGINE, KERNELS, NATIVE_ENGINE, USUAL_ENGINE, Library, in_cache
from tests.session_cache import session_cache
from tests.shared import EVERYTHING, sampled

ROOT = Path(__file__).parents[2]
MATRIX_UNITS = "gfx942,gfx1030,gfx1100"
"""Both kinds of matrix units, and none; wavefronts of 64 and of 32."""
WAVEFRONTS = "gfx90a,gfx1030"
"""Wavefronts of 64 and of 32, for code that does not use matrix units."""


@dataclass(frozen=True)
class Unit:
    """A unit with its compiler and its targets."""

    source: Path
    compiler: str
    targets: str

    @property
    def optimisation(self) -> str:
        """None, which takes half of the time, but for the engine: clang 19 crashes on its steps (gfx1030, gfx1100)."""
        return "1" if self.source.parent.name == "engine" else "0"

    def __str__(self) -> str:
        return f"{self.source.relative_to(ROOT).with_suffix('')}-{self.compiler}"


def units() -> Iterator[Unit]:
    """Yield what is in no library; and units that use matrix units for hipcc, whose names differ from clang's."""
    yield Unit(ROOT / "hipport" / "bench" / "p2p" / "program" / "p2p.cu", "clang++", WAVEFRONTS)
    for name in sampled(("engine/prefill", "engine/batch_step", "harness/kernels/matmul"), 3):
        yield Unit(ROOT / "hipport" / "llm" / f"{name}.cu", "hipcc", WAVEFRONTS)
    yield Unit(ROOT / "tests" / "llm" / "kernels" / "prefill_kernels.cu", "clang++", MATRIX_UNITS)


UNITS = list(units())
_NUMBERS: tuple[tuple[Cache, Activations], ...] = (("16bit", "f16"), ("int8", "f16"), ("16bit", "bf16"))
LIBRARIES = (USUAL_ENGINE, GENERAL_ENGINE, NATIVE_ENGINE, KERNELS)


def test_all_that_ships_is_built() -> None:
    shipped = {path for folder in ("llm", "bench") for path in (ROOT / "hipport" / folder).rglob("*.cu")}
    in_libraries = {path for library in LIBRARIES for path in library.sources()}
    assert shipped == in_libraries | {unit.source for unit in UNITS if unit.compiler == "clang++"} & shipped


def test_libraries_are_for_all_kinds_of_matrix_units() -> None:
    assert {*USUAL_ENGINE.targets} > {"gfx1030", "gfx1100"} and {"gfx942", "gfx1030", "gfx1100"} <= {*KERNELS.targets}


def all_builds() -> Iterator[Library]:
    """Yield engines of all kinds for each target: clang 19 could not compile one file of some of them for gfx942."""
    number = 0
    for target in TARGETS:
        for weights in ("native", *PACKED):
            for general in (0, 64, 96, 128, 256):
                cache, activations = _NUMBERS[number % len(_NUMBERS)]
                yield Library((target,), Formats(weights, cache, activations), general)
                number += 1


@pytest.mark.toolchain
@pytest.mark.slow
@pytest.mark.parametrize("library", [*LIBRARIES, *(all_builds() if EVERYTHING else [])], ids=str)
def test_libraries_have_all_registered_kernels(library: Library, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = in_cache(tmp_path_factory, session_cache(tmp_path_factory))(library)
    binary = read(path)
    (host,) = binary.hosts
    assert (host.missing, host.unchecked) == ((), "")
    present = {kernel.name for bundle in binary.bundles for entry in bundle.entries for kernel in entry.kernels}
    assert host.registered and set(host.registered) <= present
    assert {entry.target_id for bundle in binary.bundles for entry in bundle.entries} == {"", *library.targets}


@pytest.mark.toolchain
@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS, ids=str)
def test_code_objects_have_all_registered_kernels(unit: Unit, tmp_path: Path) -> None:
    options = ("--compiler", unit.compiler, "--offload-arch", unit.targets, "-O", unit.optimisation)
    done = built(str(unit.source), "--static", "-o", "library.a", *options, cwd=tmp_path)
    assert "the host registers" not in done.stderr
    binary = read(tmp_path / "library.a")
    assert len(binary.hosts) == len(binary.bundles)
    for host in binary.hosts:
        assert (host.missing, host.unchecked) == ((), "")
        assert host.registered
