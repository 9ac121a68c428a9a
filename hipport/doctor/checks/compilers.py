"""Check for a compiler for AMD GPUs, and for HIP's headers, runtime and device libraries."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hipport.doctor.findings import Area, Finding, SetVariable, error, ok, warning
from hipport.doctor.machine import Machine
from hipport.doctor.releases import release_of
from hipport.errors import HipportError
from hipport.toolchain.choice import choose
from hipport.toolchain.hip import Hip, find_hip

TITLE = "compiler and HIP"
AREA = Area.COMPILERS
_CLANG = "HIP_CLANG_PATH"


def run(machine: Machine) -> Iterator[Finding]:
    """Search for them as a build does."""
    yield from _silent(machine)
    if machine.compilers:
        yield ok(f"{machine.compilers[0]}")
    else:
        yield from _failure(lambda: choose((), machine.where))
    if machine.hip is not None:
        yield ok(f"HIP {machine.hip.version or 'of an unknown version'} ({machine.hip.root})")
        yield from _release(machine, machine.hip)
    else:
        yield from _failure(lambda: find_hip(machine.where))


def _silent(machine: Machine) -> Iterator[Finding]:
    """Report a hipcc on PATH that does not answer: usually the clang behind it is not where it looks."""
    hipcc = machine.program("hipcc")
    if hipcc is None or any(compiler.kind == "hipcc" for compiler in machine.compilers):
        return
    answer = machine.ask([hipcc, "--version"])
    said = next((line for line in (answer.stderr if answer else "").splitlines() if line.strip()), "no clang answered")
    if machine.variable(_CLANG):
        fix = SetVariable(_CLANG, None)
        yield error(f"{hipcc} does not work with {_CLANG}={machine.variable(_CLANG)}: {said}", f"{fix}", fix)
    else:
        yield error(f"{hipcc} does not work: {said}", "Install the clang that belongs to it, or remove hipcc from PATH")


def _release(machine: Machine, hip: Hip) -> Iterator[Finding]:
    """Report a hipcc that starts another clang than its ROCm release came with, because of a variable for example."""
    row = release_of(hip.version)
    hipcc = next((compiler for compiler in machine.compilers if compiler.kind == "hipcc"), None)
    if row is None or not row.clang or hipcc is None or hipcc.clang.split(".")[0] == row.clang:
        return
    message = f"ROCm {row.name} comes with clang {row.clang}, but hipcc runs clang {hipcc.clang}"
    if value := machine.variable(_CLANG):
        fix = SetVariable(_CLANG, None)
        yield warning(f"{message}, because {_CLANG} is {value}", f"{fix}", fix)
    else:
        yield warning(message, f"Install the compiler of ROCm {row.name}: rocm-llvm")


def _failure(look: Callable[[], object]) -> Iterator[Finding]:
    """Report the error that a build would raise."""
    try:
        look()
    except HipportError as missing:
        yield error(str(missing), missing.hint or "")
