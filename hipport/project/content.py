"""Content to be written to a file: bytes in memory, or those of another file, which the kernel can copy by itself."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from typing import BinaryIO, Protocol

from msgspec import Struct

_BLOCK = 1 << 20


class Content(Protocol):
    """Content for a file.

    Descriptors are at the beginning of a regular file; both methods raise OSError.
    """

    def is_in(self, descriptor: int) -> bool:
        """Return whether a file has exactly this content."""
        ...

    def write_to(self, descriptor: int) -> None:
        """Write the content to an empty file."""
        ...


class Bytes(Struct, frozen=True):
    """Bytes in memory."""

    data: bytes

    def is_in(self, descriptor: int) -> bool:
        if os.fstat(descriptor).st_size != len(self.data):
            return False
        here = memoryview(self.data)
        while block := os.read(descriptor, _BLOCK):
            if here[: len(block)] != block:
                return False
            here = here[len(block) :]
        return not here

    def write_to(self, descriptor: int) -> None:
        _write(descriptor, self.data)


class SameAs(Struct, frozen=True):
    """Content of an open file; `check` is called after writing and raises OSError if the result is to be discarded."""

    file: BinaryIO
    check: Callable[[], None] = lambda: None

    def is_in(self, descriptor: int) -> bool:
        """Return whether another file has the same content."""
        source = self.file.fileno()
        if os.fstat(descriptor).st_size != os.fstat(source).st_size:
            return False
        os.lseek(source, 0, os.SEEK_SET)
        while True:
            here, there = os.read(descriptor, _BLOCK), os.read(source, _BLOCK)
            if here != there:
                return False
            if not here:
                return True

    def write_to(self, descriptor: int) -> None:
        """Copy the file, inside the kernel if the file systems support that."""
        source = self.file.fileno()
        os.lseek(source, 0, os.SEEK_SET)
        with contextlib.suppress(OSError):  # unsupported there, or disk full, which `_write` reports better
            while os.copy_file_range(source, descriptor, 1 << 30):
                pass
        while block := os.read(source, _BLOCK):
            _write(descriptor, block)
        self.check()


def _write(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
