"""Files that are replaced in one step: at any time, even after a crash, a path has its old content or the new one."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from hipport.files import system
from hipport.files.places import CURRENT, Place

PREFIX = ".hipport-"
"""How the names of temporary files begin."""

_FRESH = os.O_WRONLY | os.O_CREAT | os.O_EXCL | system.NOFOLLOW | system.CLOEXEC | system.BINARY


@contextlib.contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Add a file's name to an OSError from the block that has none: writes to an open file do not know it."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:
            error.filename = os.fspath(path)
        raise


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str], *, suffix: str = "", folder: Place = CURRENT) -> Iterator[str]:
    """Yield a free name beside `path`; what the block creates there replaces `path`, or is removed if the block raises.

    Both are relative to `folder`. The name ends in `suffix`.
    """
    # Random, since a process ID is unique neither across threads, nor containers, nor the machines of a shared folder.
    fresh = str(Path(path).with_name(f"{PREFIX}{os.urandom(8).hex()}{suffix}"))
    try:
        with naming(path):
            yield fresh
            folder.replace(fresh, os.fspath(path))
    except BaseException:
        with contextlib.suppress(OSError):
            folder.unlink(fresh)
        raise


@contextlib.contextmanager
def writing(path: str | os.PathLike[str], *, suffix: str = "", folder: Place = CURRENT) -> Iterator[int]:
    """Yield the descriptor of a new file that replaces `path`, as `replacing` does. Only its owner may access it."""
    with replacing(path, suffix=suffix, folder=folder) as fresh:
        descriptor = folder.open(fresh, _FRESH, 0o600)
        try:
            yield descriptor
        finally:
            os.close(descriptor)


def write(path: str | os.PathLike[str], data: bytes) -> None:
    """Replace a file with one of this content that only its owner may access. Raises OSError."""
    with writing(path) as descriptor, open(descriptor, "wb", closefd=False) as stream:
        stream.write(data)
