"""Writes into a folder and never out of it; each file at once or not at all."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import signal
import stat
from collections.abc import Generator, Iterator
from typing import BinaryIO

from hipport.errors import HipportError
from hipport.project.roots import is_inside

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_EXISTING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FRESH = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_LOCK = os.O_RDONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_DEADLY = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
_BLOCK = 1 << 20
_TEMPORARY = (".hipport-", ".tmp")
"""How the names of temporary files begin and end."""


class Output:
    """A folder to write to. Paths are relative to it, with slashes; folders in between are made.

    Folders are opened one below the other, not following links, so that nothing leads out however the folder
    changes meanwhile. Signals that end the program wait until the file in hand is in its place. All methods
    raise OSError.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def make_folder(self, path: str) -> None:
        """Make a folder if it is not there."""
        with self._inside(os.path.join(path, "x")):
            pass

    def write(self, path: str, content: BinaryIO, mode: int) -> bool:
        """Put a file in place; one that has this content already keeps its date. Whether anything was written."""
        with self._inside(path) as (folder, name):
            if _has(folder, name, content, mode):
                return False
            self._refuse_link_out(folder, name, path)
            content.seek(0)
            with _in_place_of(folder, name) as fresh, open(os.open(fresh, _FRESH, 0o600, dir_fd=folder), "wb") as file:
                shutil.copyfileobj(content, file, _BLOCK)
                os.fchmod(file.fileno(), mode)
        return True

    def link(self, path: str, text: str) -> bool:
        """Put a symbolic link in place. Whether anything was written."""
        with self._inside(path) as (folder, name):
            with contextlib.suppress(OSError):
                if os.readlink(name, dir_fd=folder) == text:
                    return False
            self._refuse_link_out(folder, name, path)
            with _in_place_of(folder, name) as fresh:
                os.symlink(text, fresh, dir_fd=folder)
        return True

    def remove(self, path: str) -> None:
        """Remove a file or link."""
        with self._inside(path) as (folder, name):
            os.unlink(name, dir_fd=folder)

    def sweep(self) -> None:
        """Remove the temporary files that runs have left which were killed; no other run may be writing."""
        for place, _, files in os.walk(self._folder):
            for name in files:
                if name.startswith(_TEMPORARY[0]) and name.endswith(_TEMPORARY[1]):
                    self.remove(os.path.relpath(os.path.join(place, name), self._folder))

    def remove_empty(self, path: str) -> None:
        """Remove a folder if nothing is in it any more."""
        with self._inside(path) as (folder, name), contextlib.suppress(OSError):
            os.rmdir(name, dir_fd=folder)

    @contextlib.contextmanager
    def locked(self, path: str, message: str) -> Iterator[None]:
        """Hold a lock file. Raises HipportError with the message if another process holds it."""
        try:
            with self._inside(path) as (folder, name):
                descriptor = os.open(name, _LOCK, 0o644, dir_fd=folder)
        except OSError as error:
            place = os.path.join(self._folder, path)
            raise HipportError(f"cannot write {place}: {(error.strerror or str(error)).lower()}") from None
        with open(descriptor, "rb") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise HipportError(message, hint="Wait for it, or name another folder.") from None
            yield

    @contextlib.contextmanager
    def _inside(self, path: str) -> Iterator[tuple[int, str]]:
        """The open folder that holds `path`, and its name there."""
        *folders, name = path.split("/")
        with _undisturbed(), contextlib.ExitStack() as stack:
            os.makedirs(self._folder, exist_ok=True)
            current = os.open(self._folder, _FOLDER)
            stack.callback(os.close, current)
            for folder in folders:
                current = _enter(current, folder)
                stack.callback(os.close, current)
            yield current, name

    def _refuse_link_out(self, folder: int, name: str, path: str) -> None:
        """A link in the way is replaced, but one that leads elsewhere somebody has made on purpose."""
        try:
            if not stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                return
        except FileNotFoundError:
            return
        real = os.path.realpath(os.path.join(self._folder, path))
        if not is_inside(real, os.path.realpath(self._folder)):
            raise OSError(errno.ELOOP, f"there is a symbolic link that leads out of the folder, to {real}")


def _enter(parent: int, name: str) -> int:
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, dir_fd=parent)
    try:
        return os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=parent)
    except NotADirectoryError:
        raise NotADirectoryError(errno.ENOTDIR, f"{name} is a file or a symbolic link there, not a folder") from None


def _has(folder: int, name: str, content: BinaryIO, mode: int) -> bool:
    """Whether a file is there already; its permissions are mended on the way."""
    try:
        descriptor = os.open(name, _EXISTING, dir_fd=folder)
    except OSError:
        return False
    with contextlib.ExitStack() as stack:
        stack.callback(os.close, descriptor)
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or not _equal(descriptor, content):
            return False
        if status.st_mode & 0o777 != mode:
            os.fchmod(descriptor, mode)
    return True


def _equal(descriptor: int, content: BinaryIO) -> bool:
    while True:
        here, there = os.read(descriptor, _BLOCK), content.read(_BLOCK)
        if here != there:
            return False
        if not here:
            return True


@contextlib.contextmanager
def _in_place_of(folder: int, name: str) -> Iterator[str]:
    """The name of a temporary file that takes the place of `name` when the block ends well, and goes if not."""
    fresh = f"{_TEMPORARY[0]}{os.getpid()}{_TEMPORARY[1]}"
    with contextlib.suppress(FileNotFoundError):
        os.unlink(fresh, dir_fd=folder)
    try:
        yield fresh
        os.replace(fresh, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(fresh, dir_fd=folder)
        raise


@contextlib.contextmanager
def _undisturbed() -> Generator[None]:
    """Hold back the signals that end the program."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _DEADLY)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
