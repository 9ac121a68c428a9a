"""Check that the installed libraries have kernels for the gfx targets: they ship a file for each supported target."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from hipport.doctor.findings import Area, Finding, error, ok
from hipport.doctor.machine import Machine
from hipport.toolchain.libraries import load_libraries
from hipport.toolchain.places import rocm_roots

TITLE = "library kernels"
AREA = Area.LIBRARIES
_PROCESSOR = re.compile(r"gfx[0-9a-f]+")
_LIBRARY_FOLDERS = ("lib", "lib64", "lib/*")


def run(machine: Machine) -> Iterator[Finding]:
    """Compare the file names with the targets."""
    for library in load_libraries().values():
        folder = _folder(machine, library.kernels) if library.kernels else None
        if folder is None:
            continue
        there = {name for path in folder.iterdir() for name in _PROCESSOR.findall(path.name)}
        lacking = [name for name in dict.fromkeys(t.processor for t in machine.targets) if name not in there]
        if lacking:
            yield error(
                f"{library.name} has no kernels for {', '.join(lacking)}: programs that call it abort there",
                f"Build {library.name} for them, or run on a target that it supports: {', '.join(sorted(there))} "
                f"({folder})",
            )
        else:
            yield ok(f"{library.name} has kernels for all targets")


def _folder(machine: Machine, name: str) -> Path | None:
    """Return the first folder of that name in the library folders of an installation."""
    roots = (root for root in rocm_roots(machine.where))
    places = (place / name for root in roots for pattern in _LIBRARY_FOLDERS for place in sorted(root.glob(pattern)))
    return next((place for place in places if place.is_dir()), None)
