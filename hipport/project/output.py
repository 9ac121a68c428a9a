"""Write into a folder and never outside it, each file atomically."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from types import TracebackType

from hipport.errors import HipportError
from hipport.files import system
from hipport.files.atomic import PREFIX, replacing, writing
from hipport.files.locks import BusyError, locked_descriptor
from hipport.files.paths import relative
from hipport.files.places import Place
from hipport.project.content import Content
from hipport.project.folders import Folders
from hipport.project.roots import is_inside

_EXISTING = os.O_RDONLY | system.NOFOLLOW | system.NONBLOCK | system.CLOEXEC
_LOCK = os.O_CREAT | _EXISTING
_DEADLY = ("SIGINT", "SIGTERM", "SIGHUP")
_SUFFIX = ".tmp"
"""Prefix and suffix of the names of temporary files."""


class Output:
    """A folder to write to. Paths are relative to it, with slashes; intermediate folders are created.

    Folders are opened one below the other, without following links, so that nothing is written outside even if the
    folder changes meanwhile; in a `with` block they stay open for the next file. Signals that end the program wait
    until the current file is in place. All methods raise OSError.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._folders = Folders(folder)
        self._kept = 0

    def __enter__(self) -> Output:
        self._kept += 1
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._kept -= 1
        self._close()

    def make_folder(self, path: str) -> None:
        """Create a folder if it is missing."""
        with self._inside(os.path.join(path, "x")):
            pass

    def write(self, path: str, content: Content, mode: int) -> bool:
        """Put a file in place and return whether it was written; one that already has this content keeps its date."""
        with self._inside(path) as (folder, name):
            if self._is_free(folder, name, path) or not _has(folder, name, content, mode):
                with writing(name, suffix=_SUFFIX, folder=folder) as descriptor:
                    content.write_to(descriptor)
                    system.set_mode(descriptor, mode)
                return True
        return False

    def link(self, path: str, text: str) -> bool:
        """Put a symbolic link in place. Return whether anything was written."""
        with self._inside(path) as (folder, name):
            with contextlib.suppress(OSError):
                if folder.read_link(name) == text:
                    return False
            self._is_free(folder, name, path)
            with replacing(name, suffix=_SUFFIX, folder=folder) as fresh:
                folder.link(text, fresh)
        return True

    def remove(self, path: str) -> None:
        with self._inside(path) as (folder, name):
            folder.unlink(name)

    def sweep(self) -> None:
        """Remove temporary files left by killed runs; no other run may be writing."""
        for place, _, files in os.walk(self._folder):
            for name in files:
                if name.startswith(PREFIX) and name.endswith(_SUFFIX):
                    self.remove(relative(os.path.join(place, name), self._folder))

    def remove_empty(self, path: str) -> None:
        """Remove a folder if it is empty."""
        with self._inside(path) as (folder, name), contextlib.suppress(OSError):
            folder.remove_folder(name)

    @contextlib.contextmanager
    def locked(self, path: str, message: str) -> Iterator[None]:
        """Hold a lock file. Raises HipportError with the message if another process holds it."""
        try:
            with self._inside(path) as (folder, name):
                descriptor = folder.open(name, _LOCK, 0o644)
        except OSError as error:
            place = os.path.join(self._folder, path)
            raise HipportError(f"cannot write {place}: {(error.strerror or str(error)).lower()}") from None
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(locked_descriptor(descriptor, wait=False))
            except BusyError:
                raise HipportError(message, hint="Wait until it is done, or choose another folder.") from None
            yield

    @contextlib.contextmanager
    def _inside(self, path: str) -> Iterator[tuple[Place, str]]:
        """Yield the open folder that contains `path`, and the name there."""
        *folders, name = path.split("/")
        with system.blocked(_DEADLY):
            try:
                yield self._folders.at(folders), name
            finally:
                self._close()

    def _close(self) -> None:
        if not self._kept:
            self._folders.close()

    def _is_free(self, folder: Place, name: str, path: str) -> bool:
        """Return whether nothing is there; raise OSError for a link that leads outside, which someone made on purpose.

        Other links may be replaced.
        """
        try:
            if not stat.S_ISLNK(folder.status(name).st_mode):
                return False
        except FileNotFoundError:
            return True
        real = os.path.realpath(os.path.join(self._folder, path))
        if not is_inside(real, os.path.realpath(self._folder)):
            raise OSError(errno.ELOOP, f"a symbolic link leads out of the folder, to {real}")
        return False


def _has(folder: Place, name: str, content: Content, mode: int) -> bool:
    """Return whether a file already has this content; if so, also fix its permissions."""
    try:
        descriptor = folder.open(name, _EXISTING)
    except OSError:
        return False
    with contextlib.ExitStack() as stack:
        stack.callback(os.close, descriptor)
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or not content.is_in(descriptor):
            return False
        if status.st_mode & 0o777 != mode:
            system.set_mode(descriptor, mode)
    return True
