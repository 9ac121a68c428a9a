"""A bounds-checked window onto a file's bytes: a wrong size in the file is an error and not a crash."""

from __future__ import annotations

import mmap
import os
import re
import struct
from dataclasses import dataclass
from typing import IO, cast


class MalformedError(Exception):
    """The bytes are not in the declared format; `codeobject.read` turns this into a `HipportError` with the path."""

    def __init__(self, message: str, *, hint: str = "The file is damaged or truncated.") -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Region:
    """`size` bytes of `data` from `start`; the methods' offsets are relative to `start`.

    `data` is the memory map of a file or a decompressed bundle, so a region costs nothing to make and a file of
    gigabytes is never copied whole.
    """

    data: mmap.mmap | bytes | bytearray
    start: int
    size: int

    def sub(self, offset: int, size: int, what: str) -> Region:
        """Return the region of `size` bytes at `offset`; `what` names it in the error if it does not fit."""
        if offset < 0 or size < 0 or offset + size > self.size:
            raise MalformedError(
                f"{what} of {size} bytes at offset {self.start + offset:#x} reaches past the end"
                f" ({self.start + self.size:#x})"
            )
        return Region(self.data, self.start + offset, size)

    def read(self, offset: int, size: int, what: str) -> bytes:
        """Return a copy of `size` bytes at `offset`; `what` names them in the error if they do not fit."""
        part = self.sub(offset, size, what)
        return bytes(self.data[part.start : part.start + part.size])

    def unpack(self, layout: str, offset: int, what: str) -> tuple[int, ...]:
        """Unpack the integers of the `struct` layout at `offset`."""
        return struct.unpack(layout, self.read(offset, struct.calcsize(layout), what))

    def starts_with(self, magic: bytes, offset: int = 0) -> bool:
        """Return whether `magic` is at `offset`."""
        start = self.start + offset
        return offset + len(magic) <= self.size and self.data[start : start + len(magic)] == magic

    def find(self, text: bytes, offset: int, within: int | None = None) -> int | None:
        """Return the first offset of `text` at or after `offset`, at most `within` bytes after it, or None."""
        reach = self.size if within is None else min(self.size, offset + within)
        found = self.data.find(text, self.start + offset, self.start + reach)
        return None if found < 0 else found - self.start

    def search(self, pattern: re.Pattern[bytes], offset: int) -> int | None:
        """Return the first offset at or after `offset` where `pattern` matches, or None."""
        found = pattern.search(self.data, self.start + offset, self.start + self.size)
        return None if found is None else found.start() - self.start


class _RegionStream:
    """A region as the seekable binary stream that pyelftools and zstandard read from.

    Not an `io.RawIOBase`, whose `read(n)` would allocate `n` bytes before checking how many there are.
    """

    def __init__(self, region: Region) -> None:
        self._region = region
        self._position = 0

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move to `offset`; past the end is allowed and reads nothing, as in a file."""
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._region.size}[whence]
        if base + offset < 0:
            raise ValueError("seek before the start")
        self._position = base + offset
        return self._position

    def tell(self) -> int:
        return self._position

    def read(self, size: int = -1) -> bytes:
        """Return at most `size` bytes; fewer at the end."""
        left = max(0, self._region.size - self._position)
        count = left if size < 0 else min(size, left)
        start = self._region.start + self._position
        self._position += count
        return bytes(self._region.data[start : start + count])


def open_stream(region: Region) -> IO[bytes]:
    """Return the region as a seekable stream; nothing is copied before it is read."""
    return cast("IO[bytes]", _RegionStream(region))
