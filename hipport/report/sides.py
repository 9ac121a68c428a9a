"""Render a file before and after translation, side by side, as an HTML table."""

from __future__ import annotations

import contextlib
import difflib
from collections.abc import Iterator
from html import escape
from pathlib import Path

from hipport.project.request import FileResult
from hipport.project.task import Action
from hipport.report.displayable import shown

_CONTEXT = 2
_COLUMNS = "<colgroup><col class=line><col><col class=line><col></colgroup>"
_LONGEST = 400
"""Number of diff lines shown per file; the number of further ones is stated."""


def difference(file: FileResult) -> str:
    """Return the file before and after, side by side, if it was translated."""
    before, after = _contents(file)
    if before == after or b"\0" in before:
        return ""
    left, right = (data.decode("utf-8", "replace").splitlines() for data in (before, after))
    rows = list(_side_by_side(left, right))
    more = f"<tr><td colspan=4>{len(rows) - _LONGEST} more lines" if len(rows) > _LONGEST else ""
    return f"<div class=scroll><table class=diff>{_COLUMNS}{''.join(rows[:_LONGEST])}{more}</table></div>"


def _contents(file: FileResult) -> tuple[bytes, bytes]:
    if file.before or file.after or not file.changed or file.failed or file.action is not Action.TRANSLATE:
        return file.before, file.after
    with contextlib.suppress(OSError):
        return Path(file.source).read_bytes(), Path(file.target).read_bytes()
    return b"", b""


def _side_by_side(left: list[str], right: list[str]) -> Iterator[str]:
    matcher = difflib.SequenceMatcher(None, left, right)
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        yield "<tr class=gap><td colspan=4>"
        for tag, a, b, c, d in group:
            for step in range(max(b - a, d - c)):
                yield _row(tag, left, a + step if a + step < b else None, right, c + step if c + step < d else None)


def _row(tag: str, left: list[str], a: int | None, right: list[str], c: int | None) -> str:
    same = tag == "equal"
    cells = (_cell(left, a, "" if same else "old"), _cell(right, c, "" if same else "new"))
    return f"<tr>{cells[0]}{cells[1]}"


def _cell(lines: list[str], index: int | None, kind: str) -> str:
    if index is None:
        return "<td class=number><td>"
    return f'<td class=number>{index + 1}<td class="{kind}">{escape(shown(lines[index].expandtabs(4)))}'
