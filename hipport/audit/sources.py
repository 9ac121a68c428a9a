"""Load the unresolved tables: rows with the counterparts for all releases."""

from __future__ import annotations

from hipport.mappings.compile import libraries
from hipport.mappings.loader import tables_folder
from hipport.mappings.rows import Library


def all_libraries() -> list[Library]:
    """Parse and check the tables that ship with hipport."""
    return libraries({path.name: path.read_bytes() for path in sorted(tables_folder().glob("*.yaml"))})
