"""Kernels on the CPU target against the same computations written as plain OpenMP loops, in one program."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

_PROGRAM = Path(__file__).with_name("kernels.hip")
_TOLERANCE = 1e-2
_COMPILERS = ("g++", "clang++")


def run(tree: Path) -> str:
    """Measure with both compilers; the tree is not used."""
    rows = ["## Kernels on the CPU target", "", "| | time, as a multiple of OpenMP's | |", "|---|---|---|"]
    rows.append("| | " + " | ".join(_COMPILERS) + " |")
    measured = [_ratios(compiler) for compiler in _COMPILERS]
    for name in measured[0]:
        rows.append(f"| {name} | " + " | ".join(f"{ratios[name]:.2f}" for ratios in measured) + " |")
    return "\n".join(rows) + "\n"


def _ratios(compiler: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program"
        options = [
            "--compiler",
            compiler,
            "-o",
            str(program),
            "--link-flag",
            "-fopenmp",
            "--",
            "-fopenmp",
            "-march=native",
        ]
        command = [sys.executable, "-m", "hipport", "build", "--target", "cpu", str(_PROGRAM), *options]
        subprocess.run(command, check=True, capture_output=True)
        lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
    ratios = {}
    for name, hip, openmp, difference in map(str.split, lines):
        assert float(difference) < _TOLERANCE, f"{name}: the results differ by {difference}"
        ratios[name] = float(hip) / float(openmp)
    return ratios
