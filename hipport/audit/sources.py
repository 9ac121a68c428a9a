"""Load the unresolved tables: rows with the counterparts for all releases."""

from __future__ import annotations

from hipport.mappings.compile import libraries
from hipport.mappings.loader import tables_folder
from hipport.mappings.rows import Library


def all_libraries() -> list[Library]:
    """Parse and check the tables that ship with hipport."""
    return libraries({path.name: path.read_bytes() for path in sorted(tables_folder().glob("*.yaml"))})


def libraries_with(name: str) -> list[Library]:
    """Return those of the tables that ship with hipport that name this, or a namespace that it is in."""
    parts = name.split("::")
    wanted = ["::".join(parts[:count]).encode() for count in range(1, len(parts) + 1)]
    texts = {path.name: path.read_bytes() for path in sorted(tables_folder().glob("*.yaml"))}
    return libraries({path: text for path, text in texts.items() if any(each in text for each in wanted)})
