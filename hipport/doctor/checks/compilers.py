"""A compiler for AMD GPUs, HIP's headers, runtime and device libraries are there."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hipport.doctor.machine import Machine
from hipport.doctor.model import Area, Finding, SetVariable, error, ok, warning
from hipport.doctor.releases import release_of
from hipport.errors import HipportError
from hipport.toolchain.choice import choose
from hipport.toolchain.hip import Hip, find_hip

TITLE = "compiler and HIP"
AREA = Area.COMPILERS
_CLANG = "HIP_CLANG_PATH"


def run(machine: Machine) -> Iterator[Finding]:
    """Look for them as a build does."""
    if machine.compilers:
        yield ok(f"{machine.compilers[0]}")
    else:
        yield from _failure(lambda: choose((), machine.where))
    if machine.hip is not None:
        yield ok(f"HIP {machine.hip.version or 'of an unknown version'} ({machine.hip.root})")
        yield from _release(machine, machine.hip)
    else:
        yield from _failure(lambda: find_hip(machine.where))


def _release(machine: Machine, hip: Hip) -> Iterator[Finding]:
    """hipcc starts the clang that its release of ROCm came with, unless a variable leads it to another."""
    row = release_of(hip.version)
    hipcc = next((compiler for compiler in machine.compilers if compiler.kind == "hipcc"), None)
    if row is None or not row.clang or hipcc is None or hipcc.clang.split(".")[0] == row.clang:
        return
    message = f"ROCm {row.name} came with clang {row.clang}, and hipcc starts clang {hipcc.clang}"
    if value := machine.variable(_CLANG):
        fix = SetVariable(_CLANG, None)
        yield warning(f"{message}, since {_CLANG} is {value}", f"{fix}", fix)
    else:
        yield warning(message, f"Install the compiler of ROCm {row.name}: rocm-llvm")


def _failure(look: Callable[[], object]) -> Iterator[Finding]:
    """What a build would say."""
    try:
        look()
    except HipportError as missing:
        yield error(str(missing), missing.hint or "")
