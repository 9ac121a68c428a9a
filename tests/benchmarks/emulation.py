"""Kernels as emulated machine code against the CPU target: the same program, built for both."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
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
_TARGETS = ("gfx90a", "gfx942", "gfx1100")
_SETS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "x86-64-v3": ("AVX2", ("none", "avx2")),
    "native": ("this processor", ("avx512",)),
}
"""The processor that both are compiled for, its name, and the instructions that the translation uses."""
_TOLERANCE = 1e-2
_RUNS = 3
_STARTS = 5


def run(tree: Path) -> str:
    """Measure with both wavefront sizes, and both encodings of 64; the tree is not used."""
    rows = ["## Emulated kernels", ""]
    with tempfile.TemporaryDirectory() as folder:
        for processor, (name, sets) in _SETS.items():
            measured = _ratios(Path(folder) / processor, processor, sets)
            heading = [f"time, as a multiple of the CPU target's for {name}", *measured]
            rows += [f"| {' | '.join(heading)} |", "|---" * len(heading) + "|"]
            for kernel in next(iter(measured.values())):
                ratios = " | ".join(f"{ratio[kernel]:.2f}" for ratio in measured.values())
                rows.append(f"| {kernel} | {ratios} |")
            rows.append("")
        started = _start(Path(folder))
    rows += [f"A program with one small kernel, by `hipport run --emulate`: {started:.2f} s with Python's start."]
    return "\n".join(rows) + "\n"


def _ratios(folder: Path, processor: str, sets: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return time ratios by target with instructions, and kernel, of minimum times: other work only adds time."""
    folder.mkdir()
    native, fat = folder / "native", folder / "fat"
    _build("--target", "cpu", "--compiler", "g++", "-o", str(native), str(_PROGRAM), "--", f"-march={processor}")
    _build("--offload-arch", ",".join(_TARGETS), "-o", str(fat), str(_PROGRAM))
    variables = dict(os.environ) if processor == "native" else _compiling_for(processor, folder)
    emulated = {
        f"{target}, {chosen}": (
            _hipport("run", "--emulate", target, str(fat)),
            {**variables, "HIPPORT_VECTORS": chosen},
        )
        for target in _TARGETS
        for chosen in sets
    }
    commands = {**emulated, "native": ([str(native)], variables)}
    best: dict[str, dict[str, float]] = {name: {} for name in commands}
    for _ in range(_RUNS):  # side by side
        for name, (command, environment) in commands.items():
            for kernel, seconds in _times(command, environment).items():
                best[name][kernel] = min(seconds, best[name].get(kernel, seconds))
    return {name: {kernel: best[name][kernel] / best["native"][kernel] for kernel in best[name]} for name in emulated}


def _compiling_for(processor: str, folder: Path) -> dict[str, str]:
    """Return variables with which the emulator is compiled for a processor: its compiler always adds the option."""
    compiler = shutil.which("g++")
    assert compiler is not None
    wrapper = folder / "bin" / "g++-99"  # the newest is taken
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\nexec {compiler} "$@" -march={processor}\n', encoding="utf-8")
    wrapper.chmod(0o755)
    path = f"{wrapper.parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "XDG_CACHE_HOME": str(folder / "cache")}


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


def _times(command: list[str], environment: Mapping[str, str]) -> dict[str, float]:
    """Return the seconds of each kernel."""
    times = {}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    for line in done.stdout.splitlines():
        name, hip, _, difference = line.split()
        assert float(difference) < _TOLERANCE, f"{name}: the results differ by {difference}"
        times[name] = float(hip)
    return times
