"""Check that hipcc is on PATH, for builds that do not use hipport."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.doctor.findings import Area, Finding, SetVariable, ok, warning
from hipport.doctor.machine import Machine

TITLE = "program path"
AREA = Area.SURROUNDINGS


def run(machine: Machine) -> Iterator[Finding]:
    """Compare PATH with the hipcc that was found."""
    hipcc = next((compiler for compiler in machine.compilers if compiler.kind == "hipcc"), None)
    if hipcc is None:
        return
    found = machine.program("hipcc")
    if found is not None:
        yield ok(f"hipcc is {found}")
    else:
        fix = SetVariable("PATH", ":".join(filter(None, [str(hipcc.path.parent), machine.variable("PATH")])))
        yield warning(f"{hipcc.path} is not on PATH: Makefiles and CMake cannot find it", f"{fix}", fix)
