"""Kernels as emulated machine code against the CPU target: the same program, built for both."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

_PROGRAM = Path(__file__).parent / "cpu_target" / "kernels.hip"
_TARGETS = ("gfx90a", "gfx1030")
_TOLERANCE = 1e-2
_RUNS = 3


def run(tree: Path) -> str:
    """Measure with both wavefront sizes; the tree is not used."""
    heading = ["time, as a multiple of the CPU target's", *_TARGETS]
    rows = ["## Emulated kernels", "", f"| {' | '.join(heading)} |", "|---" * len(heading) + "|"]
    measured = _ratios()
    for name in next(iter(measured.values())):
        rows.append(f"| {name} | " + " | ".join(f"{measured[target][name]:.2f}" for target in _TARGETS) + " |")
    return "\n".join(rows) + "\n"


def _ratios() -> dict[str, dict[str, float]]:
    """Return time ratios by target and kernel, of minimum times: other work on the machine only adds time."""
    with tempfile.TemporaryDirectory() as folder:
        native, fat = Path(folder) / "native", Path(folder) / "fat"
        _build("--target", "cpu", "--compiler", "g++", "-o", str(native), str(_PROGRAM), "--", "-march=native")
        _build("--offload-arch", ",".join(_TARGETS), "-o", str(fat), str(_PROGRAM))
        commands = {target: _hipport("run", "--emulate", target, str(fat)) for target in _TARGETS}
        commands["native"] = [str(native)]
        best: dict[str, dict[str, float]] = {name: {} for name in commands}
        for _ in range(_RUNS):  # side by side
            for name, command in commands.items():
                for kernel, seconds in _times(command).items():
                    best[name][kernel] = min(seconds, best[name].get(kernel, seconds))
    return {t: {kernel: best[t][kernel] / best["native"][kernel] for kernel in best[t]} for t in _TARGETS}


def _hipport(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "hipport", *arguments]


def _build(*arguments: str) -> None:
    subprocess.run(_hipport("build", *arguments), check=True, capture_output=True)


def _times(command: list[str]) -> dict[str, float]:
    """Return the seconds of each kernel."""
    times = {}
    for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
        name, hip, _, difference = line.split()
        assert float(difference) < _TOLERANCE, f"{name}: the results differ by {difference}"
        times[name] = float(hip)
    return times
