"""Decide which files are CUDA sources, their names after translation, and which are left alone."""

from __future__ import annotations

import codecs
import errno
import os
import stat
from collections.abc import Callable
from typing import BinaryIO

from hipport.files import system

# fmt: off
SUFFIXES = frozenset((
    ".cu", ".cuh", ".cuinl",
    ".c", ".cc", ".cpp", ".cxx", ".c++", ".C",
    ".h", ".hh", ".hpp", ".hxx", ".h++", ".H",
    ".inl", ".inc", ".ipp", ".tpp", ".tcc", ".txx", ".ixx",
    ".hip",
))
# fmt: on
"""Suffixes to translate (`.hip` too: an edited translation may contain CUDA again); other files are just copied."""

RENAMED = {".cu": ".hip"}
"""Suffixes that change. `.cuh` does not: compilers ignore the name of a header, but its includers do not."""

LARGEST = 16 << 20
"""Bytes above which a source is assumed to be generated data: copied and reported, but not translated."""

_SNIFFED = 8000
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


Read = Callable[[str], bytes]
"""Returns the bytes of a file, such as `read`; raises OSError."""


def is_source(path: str) -> bool:
    """Return whether a file's suffix says that it may contain CUDA."""
    return os.path.splitext(path)[1] in SUFFIXES


def renamed(name: str) -> str:
    """Return the name of a file after translation; most keep theirs."""
    stem, suffix = os.path.splitext(name)
    return stem + RENAMED.get(suffix, suffix)


def is_renamed(name: str) -> bool:
    """Return whether a file has another name after translation."""
    return os.path.splitext(name)[1] in RENAMED


def open_regular(path: str, buffering: int = -1) -> BinaryIO:
    """Open a regular file for reading, never waiting for the other end of a pipe; raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | system.NONBLOCK | system.CLOEXEC | system.BINARY)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return open(descriptor, "rb", buffering)
    os.close(descriptor)
    raise OSError(errno.EINVAL, "not a regular file")


def read(path: str) -> bytes:
    """Return the bytes of a source; raises OSError."""
    with open_regular(path, buffering=0) as file:  # a buffer costs as much as a small file
        return file.read()


def looks_binary(data: bytes) -> bool:
    """Return whether a file has a NUL near its beginning (git's test for binaries), UTF-16 excepted."""
    return _is_binary(data[:_SNIFFED])


def is_binary(file: BinaryIO) -> bool:
    """Apply `looks_binary` to an open file, whose position is not changed; raises OSError."""
    before = file.tell()
    file.seek(0)
    head = file.read(_SNIFFED)
    file.seek(before)
    return _is_binary(head)


def _is_binary(head: bytes) -> bool:
    return b"\0" in head and not head.startswith(_WIDE_MARKS)
