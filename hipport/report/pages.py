"""The documentation pages of the diagnostics, read from the same files as the documentation."""

from __future__ import annotations

import functools
from pathlib import Path

from msgspec import Struct


class Page(Struct, frozen=True):
    """The explanation of a diagnostic: `title` is one line of plain text, `text` is Markdown."""

    code: str
    title: str
    text: str


def folder() -> Path:
    """Return the folder of the pages: in the installed package, or `docs/diagnostics` in a checkout."""
    installed = Path(__file__).parents[1] / "diagnostic_pages"
    return installed if installed.is_dir() else Path(__file__).parents[2] / "docs" / "diagnostics"


@functools.cache
def page(code: str) -> Page | None:
    """Return the page of a code; None if it has none."""
    path = folder() / f"{code}.md"
    if not code.isalnum() or not path.is_file():
        return None
    heading, _, text = path.read_text(encoding="utf-8").partition("\n")
    return Page(code, heading.partition(": ")[2].replace("`", ""), text.strip())


def codes() -> tuple[str, ...]:
    """Return all codes that have a page, sorted."""
    return tuple(sorted(path.stem for path in folder().glob("HP*.md")))
