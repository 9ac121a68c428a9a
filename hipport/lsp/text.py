"""The text of a document: places in it as editors count them (code units, from 0) and as hipport does (from 1)."""

from __future__ import annotations

import bisect
import itertools
import re
from dataclasses import dataclass
from functools import cached_property

_LINE_END = re.compile(r"\r\n|\n|\r")
"""The line ends of the protocol. Form feeds and Unicode's line separators end no line."""
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_MARK = "\ufeff"

Place = tuple[int, int]
"""Line and position in the line, both from 0, the position in code units of the encoding agreed on."""


@dataclass(frozen=True)
class Text:
    """The content of a document; `encoding` is the one in whose code units the editor counts: utf-8, utf-16, utf-32."""

    content: str
    encoding: str = "utf-16"

    @cached_property
    def data(self) -> bytes:
        """The content as hipport reads it: valid UTF-8, one character for each of the content's."""
        return self.content.encode("utf-8", "replace")

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in _LINE_END.finditer(self.content))]

    @cached_property
    def _newlines(self) -> list[int]:
        """Offsets at which hipport's lines begin: those that end in a newline."""
        return [0, *(match.end() for match in re.finditer("\n", self.content))]

    @cached_property
    def _astral(self) -> list[int]:
        """Offsets of the characters that take two code units of UTF-16."""
        return [] if self.content.isascii() else [match.start() for match in _ASTRAL.finditer(self.content)]

    def offset(self, place: Place) -> int:
        """Return the offset of a place, in characters; places outside the text are moved into it."""
        line, units = place
        if line >= len(self._starts):
            return len(self.content)
        start = self._starts[line]
        end = self._starts[line + 1] if line + 1 < len(self._starts) else len(self.content)
        while end > start and self.content[end - 1] in "\r\n":
            end -= 1
        return min(end, self._after(start, end, units))

    def _after(self, start: int, end: int, units: int) -> int:
        """Return the offset that is this many code units after `start`, as far as `end`."""
        if self.encoding == "utf-32" or self.content.isascii():
            return start + units
        if self.encoding == "utf-8":
            sizes = (len(character.encode("utf-8", "surrogatepass")) for character in self.content[start:end])
            ends = list(itertools.accumulate(sizes))
            return start + bisect.bisect_right(ends, units)
        at = bisect.bisect_left(self._astral, start)
        offset = start + units
        while at < len(self._astral) and self._astral[at] < offset:
            offset -= 1
            at += 1
        return max(start, offset)

    def place(self, offset: int) -> Place:
        """Return the place of an offset."""
        line = bisect.bisect_right(self._starts, offset) - 1
        start = self._starts[line]
        if self.encoding == "utf-32" or self.content.isascii():
            return line, offset - start
        if self.encoding == "utf-8":
            return line, len(self.content[start:offset].encode("utf-8", "surrogatepass"))
        wide = bisect.bisect_left(self._astral, offset) - bisect.bisect_left(self._astral, start)
        return line, offset - start + wide

    def offset_of(self, line: int, column: int) -> int:
        """Return the offset of hipport's line and column, which count from 1; a byte order mark is no column."""
        if line > len(self._newlines):
            return len(self.content)
        start = self._newlines[max(line, 1) - 1]
        marked = line <= 1 and self.content.startswith(_MARK)
        return min(start + max(column, 1) - 1 + marked, self.line_end(line))

    def line_end(self, line: int) -> int:
        """Return the offset of the end of hipport's line, in front of its line end."""
        end = self._newlines[line] - 1 if line < len(self._newlines) else len(self.content)
        return end - 1 if end > self._newlines[line - 1] and self.content[end - 1 : end + 1] == "\r\n" else end

    def line_start(self, line: int) -> int:
        """Return the offset at which hipport's line begins."""
        return self.offset_of(line, 1)

    def edited(self, start: Place, end: Place, text: str) -> Text:
        """Return the text with what is between two places replaced."""
        first, last = sorted((self.offset(start), self.offset(end)))
        return Text(self.content[:first] + text + self.content[last:], self.encoding)
