"""Features of only some operating systems, and their replacements on the others.

Linux has all of it. Windows has no advisory locks on descriptors, no folders as descriptors, no `fork`, no signal masks
and no permission bits that matter.
"""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Iterator, Sequence
from types import ModuleType


def _flag(name: str) -> int:
    return getattr(os, name, 0)


CLOEXEC, NOFOLLOW, NONBLOCK, FOLDER = (_flag(f"O_{name}") for name in ("CLOEXEC", "NOFOLLOW", "NONBLOCK", "DIRECTORY"))
BINARY = _flag("O_BINARY")
"""Flags for `os.open`, 0 where the system has none. Without BINARY, Windows rewrites line ends."""

HAS_FORK = hasattr(os, "fork")
HAS_FOLDER_DESCRIPTORS = bool(FOLDER) and {os.open, os.mkdir, os.rename, os.unlink, os.stat} <= os.supports_dir_fd


def processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def set_mode(descriptor: int, mode: int) -> None:
    """Set the permissions of an open file, where there are any."""
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, mode)


@contextlib.contextmanager
def blocked(names: Sequence[str]) -> Iterator[None]:
    """Let the named signals wait for the end of the block, where the system can; those that it lacks do not come."""
    import signal  # makes an enumeration of all of them

    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    signals = {getattr(signal, name) for name in names if hasattr(signal, name)}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def lock(descriptor: int, *, wait: bool) -> None:
    """Lock an open file until it is closed. Raises OSError, BlockingIOError if it is taken.

    On Windows the first byte is locked, and waiting ends after ten seconds. A system without locks has none.
    """
    if fcntl := _module("fcntl"):
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    elif msvcrt := _module("msvcrt"):
        try:
            msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError(error.errno, error.strerror) from None


def _module(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
