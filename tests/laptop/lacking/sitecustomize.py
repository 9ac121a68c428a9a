"""Take away from Python, before anything else is imported, what Windows lacks.

In the environment of a test's subprocess only. What the standard library needs on Linux itself (`subprocess` and
`multiprocessing` start processes) stays where hipport does not call it.
"""

from __future__ import annotations

import importlib.abc
import os
import shutil
import signal
import sys

MODULES = {"fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "curses", "syslog"}
NAMES = (
    "fork", "forkpty", "getuid", "geteuid", "getgid", "getegid", "O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_DIRECTORY",
    "fchmod", "pread", "pwrite", "sched_getaffinity", "uname", "killpg", "setsid", "getpgid", "sysconf", "mkfifo",
    "posix_spawn", "chown", "lchown", "fchown", "getloadavg", "statvfs", "nice",
)  # fmt: skip
SIGNALS = (
    "pthread_sigmask",
    "SIG_BLOCK",
    "SIG_SETMASK",
    "SIG_UNBLOCK",
    "SIGHUP",
    "SIGALRM",
    "SIGKILL",
    "SIGUSR1",
    "alarm",
)
WITH_FOLDERS = (
    "open",
    "mkdir",
    "rmdir",
    "unlink",
    "remove",
    "rename",
    "replace",
    "readlink",
    "symlink",
    "stat",
    "access",
)


class Absent(importlib.abc.MetaPathFinder):
    """Finds no module of MODULES."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def without_folders(function):  # type: ignore[no-untyped-def]
    def called(*arguments, **options):  # type: ignore[no-untyped-def]
        if any(options.get(name) is not None for name in ("dir_fd", "src_dir_fd", "dst_dir_fd")):
            raise NotImplementedError("dir_fd unavailable on this platform")
        return function(*arguments, **options)

    return called


sys.meta_path.insert(0, Absent())
for module in MODULES:
    sys.modules.pop(module, None)
for attribute in NAMES:
    if hasattr(os, attribute):
        delattr(os, attribute)
for attribute in SIGNALS:
    if hasattr(signal, attribute):
        delattr(signal, attribute)
os.supports_dir_fd = set()
os.supports_fd = {os.stat, os.truncate}
for attribute in WITH_FOLDERS:
    setattr(os, attribute, without_folders(getattr(os, attribute)))
shutil._use_fd_functions = False  # type: ignore[attr-defined]
