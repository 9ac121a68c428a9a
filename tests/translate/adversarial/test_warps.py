"""Random warp-level kernels compute on AMD GPUs and the CPU target what an NVIDIA GPU has computed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.translate.adversarial.test_programs import hipport
from tests.translate.adversarial.warps import KERNELS, RECORD, program, recorded

SEEDS = (3, 5, 15)
"""The record has sixteen, all of which agreed when it was made; these have most kinds of statements."""


def written(seed: int, folder: Path) -> Path:
    source = folder / f"warps{seed}.cu"
    source.write_text(program(seed))
    return source


def test_the_record_has_all_kernels() -> None:
    known = recorded(RECORD.read_text())
    assert {*SEEDS} < {*known}
    assert all(len(results) == KERNELS == len({*results.values()}) for results in known.values())


@pytest.mark.slow
@pytest.mark.parametrize("lanes", ["32", "64"])
@pytest.mark.parametrize("seed", SEEDS[:1])
def test_on_the_cpu_target(seed: int, lanes: str, tmp_path: Path) -> None:
    built = tmp_path / "program"
    options = ("--target", "cpu", "--wave-size", lanes, "-std", "c++17")
    made = hipport("build", str(written(seed, tmp_path)), "-o", str(built), *options)
    assert made.returncode == 0, made.stderr
    said = subprocess.run([built], capture_output=True, text=True, timeout=120).stdout
    assert recorded(said) == {seed: recorded(RECORD.read_text())[seed]}


@pytest.mark.slow
@pytest.mark.toolchain
@pytest.mark.parametrize("seed", SEEDS)
def test_as_code_for_amd_gpus(seed: int, tmp_path: Path) -> None:
    built = tmp_path / "program"
    made = hipport(
        "build", str(written(seed, tmp_path)), "-o", str(built), "-std", "c++17", "--offload-arch", "gfx90a,gfx1100"
    )
    assert made.returncode == 0, made.stderr
    for target in ("gfx90a", "gfx1100"):
        command = [sys.executable, "-m", "hipport", "run", "--emulate", target, str(built)]
        said = subprocess.run(command, capture_output=True, text=True, timeout=600).stdout
        assert recorded(said) == {seed: recorded(RECORD.read_text())[seed]}, target
