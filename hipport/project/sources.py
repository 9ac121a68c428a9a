"""Which files are CUDA sources, what they are called afterwards, and what is left alone."""

from __future__ import annotations

import codecs
import errno
import os
import stat
from typing import BinaryIO

# fmt: off
SUFFIXES = frozenset((
    ".cu", ".cuh", ".cuinl",
    ".c", ".cc", ".cpp", ".cxx", ".c++", ".C",
    ".h", ".hh", ".hpp", ".hxx", ".h++", ".H",
    ".inl", ".inc", ".ipp", ".tpp", ".tcc", ".txx", ".ixx",
    ".hip",
))
# fmt: on
"""What is translated (`.hip` too: an edited translation may hold CUDA again); any other file is copied as it is."""

RENAMED = {".cu": ".hip"}
"""Suffixes that change. `.cuh` does not: compilers do not care what a header is called, its includers do."""

LARGEST = 16 << 20
"""Bytes above which a source is taken for generated data: copied, reported, not translated."""

_SNIFFED = 8000
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def is_source(path: str) -> bool:
    """Whether the name of a file says that it may hold CUDA."""
    return os.path.splitext(path)[1] in SUFFIXES


def renamed(name: str) -> str:
    """The name that a translated file gets; the same one for most."""
    stem, suffix = os.path.splitext(name)
    return stem + RENAMED.get(suffix, suffix)


def open_regular(path: str) -> BinaryIO:
    """Open a regular file for reading, never waiting for the other end of a pipe; raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return open(descriptor, "rb")
    os.close(descriptor)
    raise OSError(errno.EINVAL, "not a regular file")


def read(path: str) -> bytes:
    """The bytes of a source; raises OSError."""
    with open_regular(path) as file:
        return file.read()


def looks_binary(path: str) -> bool:
    """Whether a file is no text: a NUL near its beginning, as git decides it, UTF-16 excepted; raises OSError."""
    with open_regular(path) as file:
        return is_binary(file)


def is_binary(file: BinaryIO) -> bool:
    """`looks_binary` of an open file, which is left where it stands; raises OSError."""
    head = os.pread(file.fileno(), _SNIFFED, 0)
    return b"\0" in head and not head.startswith(_WIDE_MARKS)
