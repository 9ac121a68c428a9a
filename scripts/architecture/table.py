"""Read the table of allowed imports."""

from __future__ import annotations

from pathlib import Path

from hipport.files.documents import parse_toml


def read_table() -> dict[str, dict[str, tuple[str, ...]]]:
    """Return for each package in the table its parts, each with the parts that it may import."""
    path = Path(__file__).with_name("layers.toml")
    found = parse_toml(path.read_text(encoding="utf-8"), str(path))
    return {package: {part: tuple(names) for part, names in parts.items()} for package, parts in found.items()}
