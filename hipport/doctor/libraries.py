"""The libraries that HIP programs include: `mappings/doctor/libraries.yaml`, checked and read."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hipport.mappings.loader import tables_folder

if TYPE_CHECKING:
    from hipport.mappings.document import Value

_FILE = "doctor/libraries.yaml"


@dataclass(frozen=True, slots=True)
class Library:
    """A library: the header that shows that it is installed, the packages of ROCm and of Debian (or empty) with it.

    `since` is the first release of Debian with the package (12, 13, sid). `kernels` is the folder, below a library
    folder, with files for each processor; empty where they are built in.
    """

    name: str
    header: str
    rocm: str
    debian: str = ""
    since: str = "12"
    kernels: str = ""


@functools.cache
def load_libraries() -> dict[str, Library]:
    """All libraries by the folder of their headers. HipportError names file, line and key of a mistake."""
    from hipport.mappings.document import read

    root = read((tables_folder() / _FILE).read_text(encoding="utf-8"), _FILE)
    return {name: _library(name, value) for name, value in root.members().items()}


def _library(name: str, value: Value) -> Library:
    parts = value.members(("header", "rocm", "debian", "since", "kernels"))
    for key in ("header", "rocm"):
        if key not in parts:
            value.fail(f"the key {key!r} is missing")
    return Library(name, **{key: part.text() for key, part in parts.items()})
