"""Kernels as emulated machine code against the CPU target: the same program, built for both."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

_PROGRAM = Path(__file__).parent / "cpu_target" / "kernels.hip"
_SMALL = """#include <hip/hip_runtime.h>
__global__ void fill(int* out) { out[threadIdx.x] = threadIdx.x; }
int main() {
  int* out;
  if (hipMalloc(&out, 256)) return 1;
  fill<<<1, 64>>>(out);
  return hipDeviceSynchronize();
}
"""
_TARGETS = ("gfx90a", "gfx1100")
_TOLERANCE = 1e-2
_RUNS = 3
_STARTS = 5


def run(tree: Path) -> str:
    """Measure with both wavefront sizes; the tree is not used."""
    heading = ["time, as a multiple of the CPU target's", *_TARGETS]
    rows = ["## Emulated kernels", "", f"| {' | '.join(heading)} |", "|---" * len(heading) + "|"]
    with tempfile.TemporaryDirectory() as folder:
        measured = _ratios(Path(folder))
        for name in next(iter(measured.values())):
            rows.append(f"| {name} | " + " | ".join(f"{measured[target][name]:.2f}" for target in _TARGETS) + " |")
        started = _start(Path(folder))
    rows += ["", f"A program with one small kernel, by `hipport run --emulate`: {started:.2f} s with Python's start."]
    return "\n".join(rows) + "\n"


def _ratios(folder: Path) -> dict[str, dict[str, float]]:
    """Return time ratios by target and kernel, of minimum times: other work on the machine only adds time."""
    native, fat = folder / "native", folder / "fat"
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


def _start(folder: Path) -> float:
    """Return the least seconds of a whole run of a small program."""
    source, program = folder / "small.hip", folder / "small"
    source.write_text(_SMALL, encoding="ascii")
    _build("--offload-arch", ",".join(_TARGETS), "-o", str(program), str(source))
    command = _hipport("run", "--emulate", _TARGETS[0], str(program))
    return min(_seconds(command) for _ in range(_STARTS))


def _seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


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
