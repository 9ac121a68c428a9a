"""The libraries that HIP programs include, read from `mappings/doctor/libraries.yaml`."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from msgspec import Struct

from hipport.mappings.loader import tables_folder

if TYPE_CHECKING:
    from hipport.mappings.document import Value

_FILE = "doctor/libraries.yaml"


class Library(Struct, frozen=True):
    """A library: `header` exists if it is installed; `rocm` and `debian` (may be empty) are its packages.

    `since` is the first release of Debian with the package (12, 13, sid). `kernels` is the folder, below a library
    folder, with files for each processor; empty if they are built in.
    """

    name: str
    header: str
    rocm: str
    debian: str = ""
    since: str = "12"
    kernels: str = ""


@functools.cache
def load_libraries() -> dict[str, Library]:
    """Return all libraries by header folder. Raises HipportError with file, line and key for an invalid table."""
    from hipport.mappings.document import read

    root = read((tables_folder() / _FILE).read_text(encoding="utf-8"), _FILE)
    return {name: _library(name, value) for name, value in root.members().items()}


def _library(name: str, value: Value) -> Library:
    parts = value.members(("header", "rocm", "debian", "since", "kernels"))
    for key in ("header", "rocm"):
        if key not in parts:
            value.fail(f"the key {key!r} is missing")
    return Library(name, **{key: part.text() for key, part in parts.items()})
