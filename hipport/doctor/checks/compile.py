"""Check that a minimal HIP program compiles, with the compiler as in a Makefile and with hipport.

It is compiled for all targets that the user names, or for the first of the usual ones.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hipport.builds.amd.pipeline import prepare
from hipport.builds.request import BuildRequest, OutputKind
from hipport.doctor.findings import Area, Finding, error, ok, warning
from hipport.doctor.machine import Machine
from hipport.errors import HipportError
from hipport.files.atomic import naming
from hipport.toolchain.compilers import Compiler
from hipport.toolchain.process import run as run_tool
from hipport.toolchain.target_id import TargetID

TITLE = "test build"
AREA = Area.PROOF
_KERNEL = """\
#include <hip/hip_runtime.h>
#include <vector>
__global__ void twice(float* x) { x[threadIdx.x] *= 2; }
int main() { return static_cast<int>(std::vector<int>(1)[0]); }
"""
_SECONDS = 120


def run(machine: Machine) -> Iterator[Finding]:
    """Compile and link in a temporary folder; targets with the same problem are reported together."""
    if not machine.compilers:
        return
    with tempfile.TemporaryDirectory(prefix="hipport-") as folder:
        source = Path(folder) / "twice.hip"
        with naming(source):
            source.write_text(_KERNEL)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            targets = machine.targets if machine.named else machine.targets[:1]  # each costs a second or two
            answers = pool.map(lambda target: _by_itself(machine, machine.compilers[0], source, target), targets)
            problems = dict(zip(targets, answers, strict=True))
        for problem in dict.fromkeys(problems.values()):
            targets = tuple(target for target, other in problems.items() if other == problem)
            yield _finding(machine, source, targets, problem)


def _finding(machine: Machine, source: Path, targets: tuple[TargetID, ...], problem: str | None) -> Finding:
    first, names = machine.compilers[0].kind, ", ".join(map(str, targets))
    if problem is None:
        return ok(f"{first} builds for {names}")
    failure = _by_hipport(machine, source, targets)
    if failure is None:
        return warning(f"{first} alone does not build for {names}: {problem}", "Use `hipport build`, which works")
    return error(f"a test kernel cannot be built for {names}: {problem}", f"hipport build says: {failure}")


def _by_itself(machine: Machine, compiler: Compiler, source: Path, target: TargetID) -> str | None:
    """Return the compiler's error in the user's own environment, or None if it builds."""
    output = f"-o{source.with_suffix('')}-{str(target).replace(':', '-')}"
    command: list[str | Path] = [compiler.path, f"--offload-arch={target}", "-x", "hip", source, output]
    done = run_tool(command, _SECONDS, environ=machine.where.environ)
    if done is None:
        return f"{compiler.path} did not finish in {_SECONDS} seconds"
    return None if done.status == 0 else _first_error(done.stderr or done.stdout)


def _by_hipport(machine: Machine, source: Path, targets: tuple[TargetID, ...]) -> str | None:
    """Return the error of `hipport build`, or None if it builds."""
    output = str(source.with_suffix(".hipfb"))
    request = BuildRequest((str(source),), output, tuple(map(str, targets)), OutputKind.FAT_BINARY)
    try:
        build = prepare(request, machine.where)
        build.write()
        failed = [event.text for event in build.run() if event.failed]
    except HipportError as refused:
        return str(refused)
    return _first_error(failed[0]) if failed else None


def _first_error(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return next((line for line in lines if "error" in line.lower()), lines[0] if lines else "no error message")
