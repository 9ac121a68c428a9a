"""Source text and edits on it: bytes in, bytes out; encoding, byte order mark and line ends are kept."""

from __future__ import annotations

import bisect
import codecs
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


@dataclass(frozen=True)
class SourceFile:
    """The text of one file, as bytes in which ASCII means ASCII.

    `text` is the file without its byte order mark; UTF-16 is recoded to UTF-8, any other encoding is left
    alone, valid or not. `encode` gives back a file in the encoding that was read.
    """

    name: str
    text: bytes
    bom: bytes = b""
    encoding: str | None = None

    @classmethod
    def decode(cls, data: bytes, name: str) -> SourceFile:
        """Read the bytes of a file; bytes that claim to be UTF-16 and are not are taken as they are."""
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
        """Turn edited text back into the bytes of a file."""
        return self.bom + (text.decode().encode(self.encoding) if self.encoding else text)

    @cached_property
    def newline(self) -> str:
        """The line end that inserted lines get: that of the first line."""
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

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a byte offset, both from 1; the column counts characters."""
        line = bisect.bisect_right(self._line_starts, offset)
        before = self.text[self._line_starts[line - 1] : offset]
        return line, len(before.decode("utf-8", "replace")) + 1


@dataclass(frozen=True, slots=True)
class Span:
    """A range of byte offsets, end excluded."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Replace:
    """Bytes `start` to `end` become `text`; an empty range is an insertion."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Wrap:
    """`before` and `after` are put around bytes `start` to `end`, whatever other edits do inside."""

    start: int
    end: int
    before: str
    after: str


Edit = Replace | Wrap


class OverlappingEdits(Exception):
    """Two edits want the same bytes: a bug in a pass."""


def apply(text: bytes, edits: Iterable[Edit]) -> bytes:
    """Carry out edits, all of them stated in offsets of `text`, in any order.

    At one offset, what closes comes first (inner before outer), then insertions in the order given, then what
    opens (outer before inner). Raises `OverlappingEdits` when ranges cross.
    """
    pieces: list[bytes] = []
    done = 0
    for start, end, replacement in _events(edits):
        if start < done:
            raise OverlappingEdits(f"at byte {start}: {replacement!r}")
        pieces += (text[done:start], replacement.encode())
        done = end
    pieces.append(text[done:])
    return b"".join(pieces)


def _events(edits: Iterable[Edit]) -> list[tuple[int, int, str]]:
    """All edits as (start, end, text), in the order in which they take effect."""
    keyed: list[tuple[tuple[int, int, int, int], tuple[int, int, str]]] = []
    wraps: list[Wrap] = []
    for order, edit in enumerate(edits):
        if isinstance(edit, Wrap):
            wraps.append(edit)
            keyed.append(((edit.end, 0, -edit.start, -order), (edit.end, edit.end, edit.after)))
            keyed.append(((edit.start, 2, -edit.end, order), (edit.start, edit.start, edit.before)))
        else:
            rank = 1 if edit.start == edit.end else 3
            keyed.append(((edit.start, rank, order, 0), (edit.start, edit.end, edit.text)))
    _check_nesting(wraps)
    return [event for _, event in sorted(keyed)]


def _check_nesting(wraps: list[Wrap]) -> None:
    open_ends: list[int] = []
    for wrap in sorted(wraps, key=lambda w: (w.start, -w.end)):
        while open_ends and open_ends[-1] <= wrap.start:
            open_ends.pop()
        if open_ends and open_ends[-1] < wrap.end:
            raise OverlappingEdits(f"wraps cross at byte {wrap.start}: {wrap.before!r}")
        open_ends.append(wrap.end)
