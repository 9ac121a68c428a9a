"""Source text and edits on it: bytes in, bytes out. Preserves encoding, byte order mark and line ends."""

from __future__ import annotations

import bisect
import codecs
import itertools
import re
from collections.abc import Iterable
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


class SourceFile(Struct, frozen=True, dict=True):
    """The text of one file, as bytes in an ASCII-compatible encoding.

    `text` is the file without its byte order mark; UTF-16 is recoded to UTF-8, any other encoding is kept, valid or
    not. `encode` returns to the encoding that was read.
    """

    name: str
    text: bytes
    bom: bytes = b""
    encoding: str | None = None

    @classmethod
    def decode(cls, data: bytes, name: str) -> SourceFile:
        """Read the bytes of a file; bytes with a UTF-16 mark that are not valid UTF-16 are kept as they are."""
        if data.startswith(codecs.BOM_UTF8):
            return cls(name, data[3:], codecs.BOM_UTF8)
        encoding = _UTF16.get(data[:2])
        if encoding is None:
            return cls(name, data)
        try:
            return cls(name, data[2:].decode(encoding).encode(), data[:2], encoding)
        except UnicodeError:
            return cls(name, data)

    def encode(self, text: bytes) -> bytes:
        """Convert edited text back to the bytes of a file."""
        return self.bom + (text.decode().encode(self.encoding) if self.encoding else text)

    @cached_property
    def newline(self) -> str:
        """The line end for inserted lines: that of the first line."""
        first = self.text.find(b"\n")
        return "\r\n" if first > 0 and self.text[first - 1 : first] == b"\r" else "\n"

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        position = self.text.find(b"\n")
        while position >= 0:
            starts.append(position + 1)
            position = self.text.find(b"\n", position + 1)
        return starts

    def line_start(self, line: int) -> int:
        """Return the byte offset at which a line begins; lines count from 1."""
        return self._line_starts[line - 1]

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column of a byte offset, both from 1; the column counts characters."""
        line = bisect.bisect_right(self._line_starts, offset)
        before = self.text[self._line_starts[line - 1] : offset]
        return line, len(before.decode("utf-8", "replace")) + 1


class Span(Struct, frozen=True):
    """A range of byte offsets, end excluded."""

    start: int
    end: int


class Replace(Struct, frozen=True):
    """Replace bytes `start` to `end` with `text`; an empty range is an insertion.

    With `whole`, edits inside the range are dropped, but for those inside the ranges `kept`: `text` has what stands
    there, which is edited as it would be in its place (`settled`).
    """

    start: int
    end: int
    text: str
    whole: bool = False
    kept: tuple[Span, ...] = ()


class Wrap(Struct, frozen=True):
    """Insert `before` and `after` around bytes `start` to `end`, whatever other edits do inside."""

    start: int
    end: int
    before: str
    after: str


Edit = Replace | Wrap


class OverlappingEdits(Exception):
    """Two edits change the same bytes: a bug in a pass."""


def settled(text: bytes, edits: Iterable[Edit]) -> list[Edit]:
    """Return the edits, with those inside what other edits keep applied to the texts of these.

    Raises `OverlappingEdits`.
    """
    edits = list(edits)
    if not any(isinstance(edit, Replace) and edit.kept for edit in edits):
        return edits
    ordered = sorted((edit for edit in edits if not isinstance(edit, Replace) or not edit.kept), key=_start)
    return [_with_kept(text, edit, ordered) if isinstance(edit, Replace) and edit.kept else edit for edit in edits]


def _start(edit: Edit) -> int:
    return edit.start


def _with_kept(text: bytes, edit: Replace, ordered: list[Edit]) -> Replace:
    """Edit the kept parts of a replacement; `ordered` are all edits by their start."""
    edited: dict[str, str] = {}
    for part in sorted(edit.kept, key=lambda part: part.start - part.end):
        first, last = (bisect.bisect(ordered, at, key=_start) for at in (part.start - 1, part.end))
        inside = [each for each in ordered[first:last] if each.end <= part.end]
        before = text[part.start : part.end]
        after = apply(before, [_moved(each, -part.start) for each in inside])
        edited[before.decode("utf-8", "surrogateescape")] = after.decode("utf-8", "surrogateescape")
    if all(before == after for before, after in edited.items()):
        return edit
    pattern = "|".join(map(re.escape, filter(None, edited)))  # longer parts first: they may contain shorter ones
    changed = re.compile(rf"(?<!\w)(?:{pattern})(?!\w)").sub(lambda match: edited[match[0]], edit.text)
    return Replace(edit.start, edit.end, changed, edit.whole)


def _moved(edit: Edit, by: int) -> Edit:
    return replace(edit, start=edit.start + by, end=edit.end + by)


def apply(text: bytes, edits: Iterable[Edit]) -> bytes:
    """Apply edits, given in offsets of `text` and in any order.

    At one offset, the order is: closing parts of wraps (inner before outer), inserted lines, other insertions, each in
    the order given, opening parts of wraps (outer before inner). Raises `OverlappingEdits` when ranges cross.
    """
    pieces: list[bytes] = []
    done = 0
    for start, end, replacement in events(edits):
        if start < done:
            raise OverlappingEdits(f"at byte {start}: {replacement!r}")
        pieces += (text[done:start], replacement.encode("utf-8", "surrogateescape"))
        done = end
    pieces.append(text[done:])
    return b"".join(pieces)


def line_map(text: bytes, edits: Iterable[Edit]) -> tuple[tuple[int, int], ...]:
    """Map each line of the edited text to the line of `text` it comes from, both from 1.

    Returns pairs (edited line, line of `text`) in order; each is valid up to the next, line by line.
    """
    pairs = [(1, 1)]
    line = edited = 1
    done = 0
    for start, end, replacement in events(edits):
        between = text.count(b"\n", done, start)
        removed, added = text.count(b"\n", start, end), replacement.count("\n")
        line, edited = line + between + removed, edited + between + added
        done = end
        if removed != added:
            # The rest of the line belongs to the new line; after whole lines, the next line starts here.
            at_start = replacement.endswith("\n") or (not replacement and text[start - 1 : start] in (b"", b"\n"))
            pairs.append((edited, line) if at_start else (edited + 1, line + 1))
    return tuple(dict(pairs).items())


def events(edits: Iterable[Edit]) -> list[tuple[int, int, str]]:
    """Return all edits as (start, end, text), in the order in which they are applied."""
    edits = _without_void(list(edits))
    keyed: list[tuple[tuple[int, int, int, int], tuple[int, int, str]]] = []
    wraps: list[Wrap] = []
    for order, edit in enumerate(edits):
        if isinstance(edit, Wrap):
            wraps.append(edit)
            keyed.append(((edit.end, 0, -edit.start, -order), (edit.end, edit.end, edit.after)))
            keyed.append(((edit.start, 3, -edit.end, order), (edit.start, edit.start, edit.before)))
        else:
            rank = 4 if edit.start != edit.end else 1 if edit.text.endswith("\n") else 2
            keyed.append(((edit.start, rank, order, 0), (edit.start, edit.end, edit.text)))
    _check_nesting(wraps)
    return [event for _, event in sorted(keyed)]


def _without_void(edits: list[Edit]) -> list[Edit]:
    """Drop edits inside the range of a `whole` replacement."""
    gone = sorted({(edit.start, -edit.end) for edit in edits if isinstance(edit, Replace) and edit.whole})
    if not gone:
        return edits
    reach = list(itertools.accumulate((-end for _, end in gone), max))
    return [edit for edit in edits if not _is_void(edit, gone, reach)]


def _is_void(edit: Edit, gone: list[tuple[int, int]], reach: list[int]) -> bool:
    """Return whether an edit is inside a range that is replaced as a whole.

    `gone` are those ranges, outer before inner; `reach` is the running maximum of their ends. An insertion at either
    end of such a range is outside.
    """
    if isinstance(edit, Replace) and edit.start == edit.end:
        before = bisect.bisect_left(gone, edit.start, key=lambda one: one[0])
        return before > 0 and reach[before - 1] > edit.start
    whole = isinstance(edit, Replace) and edit.whole
    before = bisect.bisect_left(gone, (edit.start, -edit.end if whole else 1))
    return before > 0 and reach[before - 1] >= edit.end


def _check_nesting(wraps: list[Wrap]) -> None:
    open_ends: list[int] = []
    for wrap in sorted(wraps, key=lambda w: (w.start, -w.end)):
        while open_ends and open_ends[-1] <= wrap.start:
            open_ends.pop()
        if open_ends and open_ends[-1] < wrap.end:
            raise OverlappingEdits(f"wraps cross at byte {wrap.start}: {wrap.before!r}")
        open_ends.append(wrap.end)
