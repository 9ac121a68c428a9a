"""The pages of the diagnostics, which are the same files that the documentation shows."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Page:
    """What a diagnostic means: `title` in a line, `text` in Markdown."""

    code: str
    title: str
    text: str


def folder() -> Path:
    """Where the pages are: in the package when it is installed, in `docs/` in a checkout."""
    installed = Path(__file__).with_name("diagnostic_pages")
    return installed if installed.is_dir() else Path(__file__).parents[1] / "docs" / "diagnostics"


@functools.cache
def page(code: str) -> Page | None:
    """The page of a code; None for a code that has none."""
    path = folder() / f"{code}.md"
    if not code.isalnum() or not path.is_file():
        return None
    heading, _, text = path.read_text(encoding="utf-8").partition("\n")
    return Page(code, heading.partition(": ")[2], text.strip())


def codes() -> tuple[str, ...]:
    """All codes that have a page, in order."""
    return tuple(sorted(path.stem for path in folder().glob("HP*.md")))
