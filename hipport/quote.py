"""Source excerpts and line/column edits for diagnostics, so that reports need not read the file again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hipport.diagnostics import Change, Quote
from hipport.source import Edit, SourceFile, Span, events

LONGEST = 2000
"""Maximum length of a quoted line in characters: lines of data can be megabytes long, and have many findings."""


def quote(source: SourceFile, span: Span) -> Quote:
    """Return the line on which a range begins, and the column at which the range ends on it."""
    line, column = source.position(span.start)
    start = source.line_start(line)
    newline = source.text.find(b"\n", start, start + 4 * LONGEST)
    end = newline if newline >= 0 else start + 4 * LONGEST
    text = source.text[start:end].decode("utf-8", "replace").rstrip("\r")[:LONGEST]
    length = len(source.text[span.start : min(span.end, end)].decode("utf-8", "replace"))
    return Quote(text, column + max(length, 1))


def changes(source: SourceFile, edits: Iterable[Edit]) -> Iterator[Change]:
    """Yield edits in lines and columns, in the order in which they are applied."""
    for start, end, text in events(edits):
        yield Change(*source.position(start), *source.position(end), text)
