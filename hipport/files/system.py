"""Features of only some operating systems, and their replacements on the others.

Linux has all of it. Windows has no advisory locks on descriptors, no folders as descriptors, no `fork`, no signal masks
and no permission bits that matter.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Iterator, Sequence
from types import FrameType, ModuleType
from typing import Any


def _flag(name: str) -> int:
    return getattr(os, name, 0)


CLOEXEC, NOFOLLOW, NONBLOCK, FOLDER = (_flag(f"O_{name}") for name in ("CLOEXEC", "NOFOLLOW", "NONBLOCK", "DIRECTORY"))
BINARY = _flag("O_BINARY")
"""Flags for `os.open`, 0 where the system has none. Without BINARY, Windows rewrites line ends."""

_ENDING = ("SIGTERM", "SIGHUP")
"""Signals that ask a process to end: from `kill`, `timeout` and CI, and from a terminal that is closed."""

_SOON = 0.01
"""Seconds after which a signal that came in a destructor comes again."""
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


@contextlib.contextmanager
def unwound_by_signals() -> Iterator[None]:
    """Raise KeyboardInterrupt within the block for SIGTERM and SIGHUP; the signal then ends the process after it.

    Ignored signals stay ignored, as under nohup. Only the first one counts: `timeout` sends two.
    """
    signals = importlib.import_module("_signal")  # `signal` makes enumerations, which takes as long as 20 modules
    owner, received = os.getpid(), list[int]()

    def interrupt(number: int, _: FrameType | None) -> None:
        if os.getpid() != owner:  # a worker, which was forked with this handler
            _end_by(signals, number)
        elif not received:
            received.append(number)
            raise KeyboardInterrupt

    def again(what: sys.UnraisableHookArgs) -> None:
        """Send a signal again whose exception was lost in a destructor, which no exception leaves."""
        if os.getpid() != owner or not issubclass(what.exc_type, KeyboardInterrupt):
            before(what)
        else:
            import threading  # for this rare case only

            threading.Timer(_SOON, os.kill, (owner, received.pop() if received else signals.SIGINT)).start()

    replaced, before = _replaced(signals, interrupt), sys.unraisablehook
    sys.unraisablehook = again
    try:
        yield
    finally:
        sys.unraisablehook = before
        for number in replaced:
            signals.signal(number, signals.SIG_DFL)
        if received:
            _flush()
            _end_by(signals, received[0])


def _replaced(signals: Any, handler: Any) -> list[int]:
    """Set the handler of the signals that would end the process, and return them."""
    numbers = [getattr(signals, name) for name in _ENDING if hasattr(signals, name)]
    found = [number for number in numbers if signals.getsignal(number) == signals.SIG_DFL]
    try:
        for number in found:
            signals.signal(number, handler)
    except ValueError:  # not the main thread
        return []
    return found


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()


def _end_by(signals: Any, number: int) -> None:
    signals.signal(number, signals.SIG_DFL)
    os.kill(os.getpid(), number)


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
