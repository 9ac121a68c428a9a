"""Kernels on the CPU target against the same computations written as plain OpenMP loops, in one program."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

_PROGRAM = Path(__file__).with_name("kernels.hip")
_TOLERANCE = 1e-2
_COMPILERS = ("g++", "clang++")
_PROCESSORS = ("native", "x86-64-v3") if platform.machine() == "x86_64" else ("native",)
"""Values of -march: without AVX-512, which the second does not have, stores for some lanes only are slow."""
_RUNS = 5


def run(tree: Path) -> str:
    """Measure with both compilers; the tree is not used. clang++ needs libomp, a package of its own."""
    columns = [(compiler, processor) for processor in _PROCESSORS for compiler in _COMPILERS]
    heading = ["processor time, as a multiple of that of OpenMP loops", *(f"{one}, {march}" for one, march in columns)]
    rows = ["## Kernels on the CPU target", "", f"| {' | '.join(heading)} |", "|---" * len(heading) + "|"]
    measured = [_ratios(*column) for column in columns]
    for name in measured[0]:
        rows.append(f"| {name} | " + " | ".join(f"{ratios[name]:.2f}" for ratios in measured) + " |")
    return "\n".join(rows) + "\n"


def _ratios(compiler: str, processor: str) -> dict[str, float]:
    """Return minimum time ratios of kernel and loop: the minimum, because other work on the machine only adds time."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program"
        _build(compiler, processor, program)
        runs = [_times(program) for _ in range(_RUNS)]
    return {name: min(run[name][0] for run in runs) / min(run[name][1] for run in runs) for name in runs[0]}


def _build(compiler: str, processor: str, program: Path) -> None:
    links = ["-fopenmp", *(f"-L{folder}" for folder in _openmp_folders(compiler))]
    flags = [part for link in links for part in ("--link-flag", link)]
    options = ["--compiler", compiler, "-o", str(program), *flags, "--", "-fopenmp", f"-march={processor}"]
    command = [sys.executable, "-m", "hipport", "build", "--target", "cpu", str(_PROGRAM), *options]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)  # hipport names the package of an OpenMP library that is missing


def _openmp_folders(compiler: str) -> list[Path]:
    """Return the folders of libomp for clang++: Debian packages one release at a time, often not the compiler's."""
    libraries = Path("/usr/lib").glob("llvm-*/lib/libomp.so") if compiler == "clang++" else ()
    return [library.parent for library in libraries]


def _times(program: Path) -> dict[str, tuple[float, float]]:
    """Return the processor seconds of kernel and loop by name of the computation."""
    times = {}
    environ = {**os.environ, "OMP_WAIT_POLICY": "passive"}  # threads that wait take no processor time
    done = subprocess.run([program], check=True, capture_output=True, text=True, env=environ)
    for line in done.stdout.splitlines():
        name, hip, openmp, difference = line.split()
        assert float(difference) < _TOLERANCE, f"{name}: the results differ by {difference}"
        times[name] = (float(hip), float(openmp))
    return times
