"""Run the checks. Every module in `hipport/doctor/checks/` is a check.

It has a `TITLE`, an `AREA`, and `run(machine)`, which yields `OK`, `WARNING` or `ERROR` findings, or none if there is
nothing to report. It reads the machine and never changes it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hipport.doctor import checks
from hipport.doctor.findings import Area, CheckResult, Finding, warning
from hipport.doctor.machine import Machine


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    title: str
    area: Area
    run: Callable[[Machine], Iterator[Finding]]


def all_checks() -> list[Check]:
    """Return all checks by area, then by name."""
    folder = str(Path(checks.__file__).parent)
    names = sorted(found.name for found in pkgutil.iter_modules([folder]))
    modules = [(name, importlib.import_module(f"{checks.__name__}.{name}")) for name in names]
    order = list(Area)
    found = [Check(name.replace("_", "-"), module.TITLE, module.AREA, module.run) for name, module in modules]
    return sorted(found, key=lambda check: order.index(check.area))


def diagnose(machine: Machine, *, build_only: bool = False) -> Iterator[CheckResult]:
    """Yield the result of each check; `build_only` skips the checks that only matter for running programs."""
    for check in all_checks():
        if not (build_only and check.area is Area.MACHINE):
            yield CheckResult(check.name, check.title, check.area, tuple(_findings(check, machine)))


def _findings(check: Check, machine: Machine) -> Iterator[Finding]:
    """Yield the findings of a check; a file that may not be read is a warning and does not stop the other checks."""
    try:
        yield from check.run(machine)
    except OSError as refused:
        where = f"{refused.filename}: " if refused.filename else ""
        yield warning(
            f"cannot be checked: {where}{refused.strerror}", "Run hipport as a user with permission to read it"
        )
