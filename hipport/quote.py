"""Takes from a source what the diagnostics about it carry, so that reports need no second look at the file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hipport.diagnostics import Change, Quote
from hipport.source import Edit, SourceFile, Span, events

LONGEST = 2000
"""So many characters of a line are kept: lines of data can be megabytes long, and have many findings."""


def quote(source: SourceFile, span: Span) -> Quote:
    """The line on which a range begins, and where on that line the range ends."""
    line, column = source.position(span.start)
    start = source.line_start(line)
    newline = source.text.find(b"\n", start, start + 4 * LONGEST)
    end = newline if newline >= 0 else start + 4 * LONGEST
    text = source.text[start:end].decode("utf-8", "replace").rstrip("\r")[:LONGEST]
    length = len(source.text[span.start : min(span.end, end)].decode("utf-8", "replace"))
    return Quote(text, column + max(length, 1))


def changes(source: SourceFile, edits: Iterable[Edit]) -> Iterator[Change]:
    """Edits in lines and columns, in the order in which they take effect."""
    for start, end, text in events(edits):
        yield Change(*source.position(start), *source.position(end), text)
