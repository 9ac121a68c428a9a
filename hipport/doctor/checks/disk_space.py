"""Check that the temporary folder has enough space for compilers."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from hipport.doctor.findings import Area, Finding, SetVariable, error, ok, warning
from hipport.doctor.machine import Machine

TITLE = "temporary folder"
AREA = Area.SURROUNDINGS
_ENOUGH = 1 << 30


def run(machine: Machine) -> Iterator[Finding]:
    """Check TMPDIR, or /tmp."""
    said = machine.variable("TMPDIR")
    folder = Path(said) if said else machine.path("tmp")
    if not folder.is_dir():
        fix = SetVariable("TMPDIR", None)
        yield (
            error(f"TMPDIR is {said}, which does not exist", f"{fix}", fix)
            if said
            else error(f"{folder} does not exist", f"mkdir -m 1777 {folder}")
        )
        return
    free = shutil.disk_usage(folder).free
    if free < _ENOUGH:
        yield warning(
            f"{folder} has {free >> 20} MiB left, which compiling device code may exceed",
            "Free disk space, or set TMPDIR to another folder",
        )
    else:
        yield ok(f"{folder} has {free >> 30} GiB left")
