"""Check the libstdc++ of the newest gcc: clang uses that gcc even if it was installed without a libstdc++."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from pathlib import Path

from hipport.doctor.findings import Area, Finding, error, ok
from hipport.doctor.machine import Machine
from hipport.toolchain.places import natural

TITLE = "host compiler and libstdc++"
AREA = Area.COMPILERS


def run(machine: Machine) -> Iterator[Finding]:
    """Find gcc's folders as clang does, by the start files in them."""
    pattern = f"gcc/{platform.machine()}-*/*/crtbegin.o"
    found = [path.parent for name in ("usr/lib", "usr/lib64") for path in machine.path(name).glob(pattern)]
    if not found:
        yield error("clang cannot find gcc, whose start files and libstdc++ it needs", "apt-get install g++")
        return
    newest = max(found, key=lambda folder: natural(Path(folder.name)))
    release = newest.name.split(".")[0]
    lacking = list(_lacking(machine, newest, release))
    if lacking:
        yield error(
            f"clang uses the newest gcc, gcc {newest.name} ({newest}), which lacks {' and '.join(lacking)}",
            f"apt-get install libstdc++-{release}-dev",
        )
    else:
        yield ok(f"gcc {newest.name} with libstdc++")


def _lacking(machine: Machine, folder: Path, release: str) -> Iterator[str]:
    headers = machine.path("usr/include/c++")
    if not any((headers / name / "vector").is_file() for name in (folder.name, release)):
        yield "C++ headers"
    if not (folder / "libstdc++.so").exists() and not machine.path("usr/lib64/libstdc++.so").exists():
        yield "libstdc++.so"
