"""Check for a single or a chosen ROCm release: conflicting variables mix the headers and tools of several."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hipport.doctor.findings import Area, Finding, SetVariable, error, ok, warning
from hipport.doctor.installations import Installation, installations
from hipport.doctor.machine import Machine

TITLE = "ROCm releases"
AREA = Area.COMPILERS
_VARIABLES = ("ROCM_PATH", "HIP_PATH")


def run(machine: Machine) -> Iterator[Finding]:
    """Compare the installations with each other and with those that the variables and PATH choose."""
    found = installations(machine.where)
    wrong = [*_variables(machine, found), *_program(machine, found)]
    yield from wrong
    releases = {each.release for each in found}
    if len(releases) > 1 and not wrong and not any(map(machine.variable, _VARIABLES)):
        listed = ", ".join(map(str, found))
        fix = SetVariable("ROCM_PATH", str(found[0].root))
        yield warning(f"several releases are installed and none is selected: {listed}", f"{fix}", fix)
    elif found and not wrong:
        yield ok(f"ROCm {found[0]}")


def _variables(machine: Machine, found: tuple[Installation, ...]) -> Iterator[Finding]:
    roots = {each.root.resolve() for each in found}
    for name in _VARIABLES:
        value = machine.variable(name)
        if value and Path(value).resolve() not in roots and Path(value, "hip").resolve() not in roots:
            what = "does not contain HIP" if Path(value).is_dir() else "does not exist"
            fix = SetVariable(name, None)
            yield error(f"{name} is {value}, which {what}", f"{fix}", fix)


def _program(machine: Machine, found: tuple[Installation, ...]) -> Iterator[Finding]:
    """Report a hipcc on PATH that is of another release than the headers chosen by variables."""
    hipcc = machine.program("hipcc")
    chosen = next((each for each in found if any(_names(machine, each.root))), None)
    if hipcc is None or chosen is None:
        return
    owner = next((each for each in found if each.root.resolve() in hipcc.resolve().parents), None)
    if owner is not None and owner.release != chosen.release:
        fix = SetVariable("ROCM_PATH", str(owner.root))
        yield error(f"hipcc on PATH belongs to ROCm {owner}, but ROCM_PATH or HIP_PATH select {chosen}", f"{fix}", fix)


def _names(machine: Machine, root: Path) -> Iterator[bool]:
    for name in _VARIABLES:
        value = machine.variable(name)
        yield bool(value) and root.resolve() in (Path(value).resolve(), Path(value, "hip").resolve())
