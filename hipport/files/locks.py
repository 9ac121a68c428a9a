"""Locks between processes, held on files. The lock of a process that dies is released; its file may stay."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from hipport.files import system

_FLAGS = os.O_RDWR | os.O_CREAT | system.NOFOLLOW | system.CLOEXEC
_PAUSE = 0.1
"""Seconds between two attempts."""


class BusyError(Exception):
    """Another process holds the lock, or the file system has no locks."""


@contextlib.contextmanager
def locked(path: Path, *, wait: bool) -> Iterator[None]:
    """Hold the lock of a file, which is created if missing and stays.

    Raises OSError if the file cannot be opened for writing and, without `wait`, `BusyError` if the lock is taken.
    """
    with locked_descriptor(os.open(path, _FLAGS, 0o666), wait=wait):
        yield


@contextlib.contextmanager
def locked_descriptor(descriptor: int, *, wait: bool) -> Iterator[None]:
    """Hold the lock of an open file, which is closed afterwards. Raises as `locked` does."""
    try:
        try:
            system.lock(descriptor, wait=wait)
        except OSError as error:
            if wait:
                raise
            raise BusyError(str(error)) from None
        yield
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def locked_if_possible(path: Path, seconds: float) -> Iterator[None]:
    """Hold the lock of a file that is removed afterwards, on network file systems too if they have locks.

    Goes on without the lock where the file system has none, or when another process has held it for so many seconds.
    """
    descriptor = _wait_for(path, time.monotonic() + seconds)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)


def _wait_for(path: Path, end: float) -> int:
    """Return the descriptor of the file, locked if possible. Raises OSError if it cannot be opened."""
    while True:
        descriptor = os.open(path, _FLAGS, 0o666)
        try:
            system.lock(descriptor, wait=False)
            if _is_at(descriptor, path):
                return descriptor
        except BlockingIOError:
            if time.monotonic() > end:
                return descriptor
            time.sleep(_PAUSE)
        except OSError:
            return descriptor
        os.close(descriptor)


def _is_at(descriptor: int, path: Path) -> bool:
    """Return whether the locked file is still at its path: the previous holder may have removed it."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False
