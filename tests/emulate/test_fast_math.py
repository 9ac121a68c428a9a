"""nvcc's --use_fast_math: compensated sums, NaN and infinity stay what they are on NVIDIA GPUs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.cli.test_build import built
from tests.emulate.conftest import Fat, emulated

PROGRAM = Path(__file__).parent / "fast_math.cu"
EXPECTED = "10000.041 1 0 1 0\n"

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]


@pytest.mark.parametrize("compiler", ["hipcc", "clang++"])
def test_on_amd_gpus(compiler: str, fat: Fat, tmp_path: Path, cache: Path) -> None:
    options = ("--compiler", compiler, "--", "--use_fast_math")
    program = fat(f"fast-math-{compiler}", [], str(PROGRAM), *options, targets=("gfx90a", "gfx1030"))
    for target in ("gfx90a", "gfx1030"):
        done = emulated("--emulate", target, str(program), cwd=tmp_path, cache=cache)
        assert (done.returncode, done.stdout) == (0, EXPECTED), done.stderr


def test_on_the_cpu(tmp_path: Path) -> None:
    built("--target", "cpu", str(PROGRAM), "-o", "fast", "--", "--use_fast_math", cwd=tmp_path)
    done = subprocess.run([tmp_path / "fast"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, EXPECTED)
