"""The tables as they are written: rows with the counterparts of all releases."""

from __future__ import annotations

from hipport.mappings.compile import libraries
from hipport.mappings.loader import tables_folder
from hipport.mappings.rows import Library


def all_libraries() -> list[Library]:
    """The checked tables that ship."""
    return libraries({path.name: path.read_bytes() for path in sorted(tables_folder().glob("*.yaml"))})
