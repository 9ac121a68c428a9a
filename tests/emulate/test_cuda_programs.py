"""CUDA programs that compare themselves with CUDA's documentation, on AMD GPUs and on the CPU target.

Each runs on a target with wavefronts of 64 lanes or on one with 32; with `HIPPORT_TEST_ALL=1` on both.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.cli.test_build import built
from tests.emulate.conftest import Fat, emulated
from tests.shared import EVERYTHING

PROGRAMS = sorted((Path(__file__).parent / "cuda").glob("*.cu"))
TARGETS = ("gfx90a", "gfx1100")
COMBINE_LANES = ("own_overloads", "own_shuffles", "segments")
"""Programs whose results depend on the size of wavefronts."""

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]


@pytest.mark.parametrize("source", PROGRAMS, ids=lambda path: path.stem)
def test_on_amd_gpus(source: Path, fat: Fat, tmp_path: Path, cache: Path) -> None:
    place = PROGRAMS.index(source) % len(TARGETS)
    targets = TARGETS if EVERYTHING or source.stem in COMBINE_LANES else TARGETS[place : place + 1]
    program = fat(f"cuda-{source.stem}", [], str(source), "--", "-std=c++17", targets=targets)
    for target in targets:
        done = emulated("--emulate", target, str(program), cwd=tmp_path, cache=cache)
        assert (done.returncode, done.stdout) == (0, f"PASS: {source.stem}\n"), (target, done.stdout, done.stderr)


@pytest.mark.parametrize("source", PROGRAMS, ids=lambda path: path.stem)
def test_on_the_cpu(source: Path, tmp_path: Path) -> None:
    built("--target", "cpu", str(source), "-o", "program", "--", "-std=c++17", cwd=tmp_path)
    done = subprocess.run([tmp_path / "program"], capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout) == (0, f"PASS: {source.stem}\n"), done.stderr
