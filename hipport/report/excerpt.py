"""Show the source line of a finding with carets below it, and the line that its quick fix would produce."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from hipport.diagnostics import Diagnostic
from hipport.report.displayable import shown

_TAB = 4
_GUTTER = 5
"""Columns for the line number; the margin beside the text takes three more."""
_NARROW, _WIDE = 40, 160
"""The minimum and maximum columns for a line; the maximum also applies to output that is not for a terminal."""


class _Piece(Struct, frozen=True):
    """The displayed form of one source character, and its width in terminal columns."""

    text: str
    columns: int


def excerpt(found: Diagnostic, width: int | None) -> Iterator[tuple[str, bool]]:
    """Yield lines, each with whether it is the line of carets; nothing for a finding without a source line.

    `width` is the number of terminal columns, None if the text is not for a terminal.
    """
    if found.quote is None or found.column > len(found.quote.text):
        return
    room = min(max(width or _WIDE, _NARROW), _WIDE) - _GUTTER - 3
    pieces = _pieces(found.quote.text)
    first, last = found.column - 1, min(found.quote.end - 1, len(pieces))
    low, high = _window(pieces, first, room)
    yield f"{found.line:>{_GUTTER}} | {_cut(pieces, low, high)}", False
    before = _columns(pieces[low:first]) + (low > 0)
    marks = "^" * min(max(_columns(pieces[first:last]), 1), room - before)
    yield f"{'':>{_GUTTER}} | {' ' * before}{marks}", True
    fixed = _fixed(found)
    if fixed is not None:
        after = _pieces(fixed)
        yield f"{'fix':>{_GUTTER}} | {_cut(after, *_window(after, min(first, len(after)), room))}", False


def _pieces(text: str) -> list[_Piece]:
    pieces: list[_Piece] = []
    column = 0
    for character in text:
        look = " " * (_TAB - column % _TAB) if character == "\t" else shown(character)
        pieces.append(_Piece(look, _width(look)))
        column += pieces[-1].columns
    return pieces


def _width(look: str) -> int:
    """Return the columns that a terminal shows printable text in."""
    if look.isascii():
        return len(look)
    from rich.cells import cell_len  # for other characters only: it takes a while to import

    return cell_len(look)


def _columns(pieces: Sequence[_Piece]) -> int:
    return sum(piece.columns for piece in pieces)


def _window(pieces: Sequence[_Piece], first: int, room: int) -> tuple[int, int]:
    """Return the part of a line to show: all if it fits, else a third before the finding's start and the rest after."""
    if _columns(pieces) <= room:
        return 0, len(pieces)
    inside = room - 2  # an ellipsis at each end
    low = high = first
    while low > 0 and _columns(pieces[low - 1 : first]) <= inside // 3:
        low -= 1
    while high < len(pieces) and _columns(pieces[low : high + 1]) <= inside:
        high += 1
    while low > 0 and _columns(pieces[low - 1 : high]) <= inside:
        low -= 1
    return low, high


def _cut(pieces: Sequence[_Piece], low: int, high: int) -> str:
    text = "".join(piece.text for piece in pieces[low:high])
    return ("…" if low > 0 else "") + text.rstrip() + ("…" if high < len(pieces) else "")


def _fixed(found: Diagnostic) -> str | None:
    """Return the line with the quick fix applied; None if there is no fix, or it changes other lines."""
    if found.quote is None or not found.changes:
        return None
    text, done = "", 0
    for change in found.changes:
        if {change.line, change.end_line} != {found.line} or "\n" in change.text:
            return None
        text += found.quote.text[done : change.column - 1] + change.text
        done = change.end_column - 1
    return text + found.quote.text[done:]
