"""CUDA programs that compare themselves with CUDA's documentation, on AMD GPUs and on the CPU target."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.cli.test_build import built
from tests.emulate.conftest import Fat, emulated

PROGRAMS = sorted((Path(__file__).parent / "cuda").glob("*.cu"))

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]


@pytest.mark.parametrize("source", PROGRAMS, ids=lambda path: path.stem)
def test_on_amd_gpus(source: Path, fat: Fat, tmp_path: Path, cache: Path) -> None:
    program = fat(f"cuda-{source.stem}", [], str(source), "--", "-std=c++17", targets=("gfx90a", "gfx1100"))
    for target in ("gfx90a", "gfx1100"):
        done = emulated("--emulate", target, str(program), cwd=tmp_path, cache=cache)
        assert (done.returncode, done.stdout) == (0, f"PASS: {source.stem}\n"), (target, done.stdout, done.stderr)


@pytest.mark.parametrize("source", PROGRAMS, ids=lambda path: path.stem)
def test_on_the_cpu(source: Path, tmp_path: Path) -> None:
    built("--target", "cpu", str(source), "-o", "program", "--", "-std=c++17", cwd=tmp_path)
    done = subprocess.run([tmp_path / "program"], capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout) == (0, f"PASS: {source.stem}\n"), done.stderr
