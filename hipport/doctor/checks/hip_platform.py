"""Check hipcc's platform: NVIDIA if nvcc can be run and `clang++` cannot, unless HIP_PLATFORM is amd."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hipport.doctor.findings import Area, Finding, SetVariable, error, ok
from hipport.doctor.machine import Machine
from hipport.toolchain.places import programs

TITLE = "hipcc platform"
AREA = Area.COMPILERS
_FIX = SetVariable("HIP_PLATFORM", "amd")


def run(machine: Machine) -> Iterator[Finding]:
    """Ask hipconfig, which decides for hipcc; without it only the variable counts."""
    said = machine.variable("HIP_PLATFORM")
    hipconfig = machine.program("hipconfig")
    answer = machine.ask([hipconfig, "--platform"]) if hipconfig else None
    platform = answer.stdout.strip() if answer and answer.status == 0 else said
    if platform in ("amd", "hcc"):
        yield ok(f"hipcc compiles for AMD GPUs{' (HIP_PLATFORM)' if said else ''}")
    elif platform:
        yield error(f"hipcc compiles for the platform {platform}: {_why(machine, said)}", f"{_FIX}", _FIX)
    elif machine.program("nvcc"):
        yield error(f"hipcc may compile for NVIDIA GPUs: {_why(machine, said)}", f"{_FIX}", _FIX)


def _why(machine: Machine, said: str) -> str:
    if said:
        return f"HIP_PLATFORM is {said}"
    toolkit = Path(machine.variable("CUDA_PATH") or machine.path("usr/local/cuda"))
    nvcc = machine.program("nvcc") or next(programs([toolkit / "bin"], ["nvcc"]), None)
    return f"HIP_PLATFORM is not set, and nvcc is installed ({nvcc})" if nvcc else "HIP_PLATFORM is not set"
