"""For all CUDA code that ships, every kernel that the host registers is in every code object.

Fixture programs are not built here: each `hipport build` of one checks the same in its link step.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from hipport.codeobject import read
from tests.cli.test_build import built

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


def with_headers(source: Path) -> set[Path]:
    """Return a source and all files of its project that it includes."""
    found, new = set(), {source}
    while new:
        found |= new
        beside = {path.parent / name for path in new for name in re.findall(r'#include "([^"]+)"', path.read_text())}
        new = {path.resolve() for path in beside if path.is_file()} - found
    return found


def targets(source: Path) -> str:
    """Return what code can depend on: the kinds of matrix units where it uses these."""
    uses_units = any(path.name == "matrix_unit.cuh" for path in with_headers(source))
    return MATRIX_UNITS if uses_units else WAVEFRONTS


def units() -> Iterator[Unit]:
    """Yield all shipped units for the newest compiler, and those that use matrix units also for hipcc."""
    for folder in ("llm", "bench"):
        for source in sorted((ROOT / "hipport" / folder).rglob("*.cu")):
            yield Unit(source, "clang++", targets(source))
    for name in ("engine/prefill", "engine/batch_step", "harness/kernels/matmul", "harness/kernels/prefill_attention"):
        yield Unit(ROOT / "hipport" / "llm" / f"{name}.cu", "hipcc", WAVEFRONTS)
    yield Unit(ROOT / "tests" / "llm" / "kernels" / "prefill_kernels.cu", "clang++", MATRIX_UNITS)


UNITS = list(units())


def test_units_of_matrices_are_recognized() -> None:
    names = {unit.source.stem for unit in UNITS if unit.targets == MATRIX_UNITS}
    assert {"prefill", "engine", "experts", "gemm", "convolution", "attention"} <= names
    assert {"copy", "p2p", "page_table", "sampling"}.isdisjoint(names)


def test_all_that_ships_is_built() -> None:
    names = {unit.source.stem for unit in UNITS}
    assert {
        "prefill",
        "batch_step",
        "engine",
        "matmul",
        "gemm",
        "convolution",
        "p2p",
    } <= names


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
