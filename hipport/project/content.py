"""What a file is to hold: bytes at hand, or those of another file, which the system copies by itself."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO, Protocol

_BLOCK = 1 << 20


class Content(Protocol):
    """Bytes for a file. Descriptors stand at the beginning of a regular file; both methods raise OSError."""

    def is_in(self, descriptor: int) -> bool:
        """Whether a file holds just this."""
        ...

    def write_to(self, descriptor: int) -> None:
        """Write it to an empty file."""
        ...


@dataclass(frozen=True, slots=True)
class Bytes:
    """Bytes at hand."""

    data: bytes

    def is_in(self, descriptor: int) -> bool:
        """Whether a file holds just these bytes."""
        if os.fstat(descriptor).st_size != len(self.data):
            return False
        here = memoryview(self.data)
        while block := os.read(descriptor, _BLOCK):
            if here[: len(block)] != block:
                return False
            here = here[len(block) :]
        return not here

    def write_to(self, descriptor: int) -> None:
        """Write them."""
        _write(descriptor, self.data)


@dataclass(frozen=True, slots=True)
class SameAs:
    """What an open file holds; `check` is called once that was written, and raises OSError if it is not to count."""

    file: BinaryIO
    check: Callable[[], None] = lambda: None

    def is_in(self, descriptor: int) -> bool:
        """Whether another file holds the same."""
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
        """Copy it, inside the kernel where the file systems can."""
        source = self.file.fileno()
        os.lseek(source, 0, os.SEEK_SET)
        with contextlib.suppress(OSError):  # file systems that cannot, or a full one, of which writing says more
            while os.copy_file_range(source, descriptor, 1 << 30):
                pass
        while block := os.read(source, _BLOCK):
            _write(descriptor, block)
        self.check()


def _write(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
