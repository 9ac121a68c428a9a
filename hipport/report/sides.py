"""Render a file before and after translation, side by side, as an HTML table."""

from __future__ import annotations

import contextlib
import difflib
from collections.abc import Iterator, Set
from pathlib import Path

from msgspec import Struct

from hipport.project.request import FileResult
from hipport.project.task import Action
from hipport.report.html_code import Line, changed_words, code, highlighted

_CONTEXT = 2
_COLUMNS = "<colgroup><col class=line><col><col class=line><col></colgroup>"
_LONGEST = 400
"""Number of diff lines shown per file; the number of further ones is stated."""
_GAP = "<tr class=gap><td colspan=4>"


class Sides(Struct, frozen=True):
    """The table of a file, "" if there is nothing to show; `lines` are the lines of the source that have a place in it.

    The row of line N has the id `PREFIX-N` if N is among the lines asked for.
    """

    table: str = ""
    lines: frozenset[int] = frozenset()


class _Row(Struct, frozen=True):
    """A row: the numbers of its lines, from 1; None on a side that has no such line."""

    same: bool
    old: int | None
    new: int | None


def difference(file: FileResult, wanted: Set[int], prefix: str) -> Sides:
    """Return the file before and after, side by side, if it was translated: what changed, and the `wanted` lines."""
    before, after = _contents(file)
    if before == after or b"\0" in before:
        return Sides()
    left, right = _lines(before, file.source), _lines(after, file.target)
    rows = list(_rows([_text(line) for line in left], [_text(line) for line in right]))
    visible = _visible(rows, wanted)
    shown_rows = visible[:_LONGEST]
    cells: list[str] = []
    last = -1
    for index in shown_rows:
        cells += [_GAP] * (index != last + 1) + [_row(rows[index], left, right, wanted, prefix)]
        last = index
    more = f"<tr><td colspan=4>{len(visible) - _LONGEST} more lines" if len(visible) > _LONGEST else ""
    placed = frozenset(rows[index].old or 0 for index in shown_rows) & wanted
    return Sides(
        f'<div class=scroll><table class="diff code">{_COLUMNS}{"".join(cells)}{more}</table></div>', frozenset(placed)
    )


def _contents(file: FileResult) -> tuple[bytes, bytes]:
    if file.before or file.after or not file.changed or file.failed or file.action is not Action.TRANSLATE:
        return file.before, file.after
    with contextlib.suppress(OSError):
        return Path(file.source).read_bytes(), Path(file.target).read_bytes()
    return b"", b""


def _lines(data: bytes, name: str) -> list[Line]:
    text = data.decode("utf-8", "replace").replace("\r\n", "\n").removesuffix("\n").expandtabs(4)
    return highlighted(text, name)


def _text(line: Line) -> str:
    return "".join(text for _, text in line)


def _rows(left: list[str], right: list[str]) -> Iterator[_Row]:
    for tag, a, b, c, d in difflib.SequenceMatcher(None, left, right).get_opcodes():
        for step in range(max(b - a, d - c)):
            old = a + step + 1 if a + step < b else None
            new = c + step + 1 if c + step < d else None
            yield _Row(tag == "equal", old, new)


def _visible(rows: list[_Row], wanted: Set[int]) -> list[int]:
    """Return the rows to show: those that changed or are wanted, with the lines around them."""
    found: set[int] = set()
    for index, row in enumerate(rows):
        if not row.same or row.old in wanted:
            found.update(range(max(0, index - _CONTEXT), min(len(rows), index + _CONTEXT + 1)))
    return sorted(found)


def _row(row: _Row, left: list[Line], right: list[Line], wanted: Set[int], prefix: str) -> str:
    old = left[row.old - 1] if row.old else None
    new = right[row.new - 1] if row.new else None
    marks = changed_words(_text(old), _text(new)) if old and new and not row.same else ([], [])
    place = f' id="{prefix}-{row.old}"' if row.old in wanted else ""
    kinds = ("", "") if row.same else ("old", "new")
    cells = (_cell(row.old, old, kinds[0], marks[0]), _cell(row.new, new, kinds[1], marks[1]))
    return f"<tr{place}>{cells[0]}{cells[1]}"


def _cell(number: int | None, line: Line | None, kind: str, marks: list[tuple[int, int]]) -> str:
    if number is None or line is None:
        return "<td class=number><td>"
    return f'<td class=number>{number}<td class="{kind}">{code(line, marks)}'
