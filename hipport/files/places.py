"""Folders in which files are opened, replaced and removed by name, never through a link where the system can tell.

By the descriptor of the open folder, which stays the same folder even if its path changes meanwhile; on systems that
have no such descriptors, by its path.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import Protocol

from msgspec import Struct

from hipport.files import system

_FOLDER = os.O_RDONLY | system.FOLDER | system.CLOEXEC


class Place(Protocol):
    """A folder. All methods take names in it, and raise OSError."""

    def open(self, name: str, flags: int, mode: int = 0o666) -> int: ...

    def replace(self, old: str, new: str) -> None: ...

    def unlink(self, name: str) -> None: ...

    def make_folder(self, name: str) -> None: ...

    def remove_folder(self, name: str) -> None: ...

    def read_link(self, name: str) -> str: ...

    def link(self, text: str, name: str) -> None: ...

    def status(self, name: str) -> os.stat_result: ...

    def enter(self, name: str) -> Place: ...

    def close(self) -> None: ...


class OpenFolder(Struct, frozen=True):
    """A folder by its descriptor."""

    descriptor: int

    def open(self, name: str, flags: int, mode: int = 0o666) -> int:
        return os.open(name, flags, mode, dir_fd=self.descriptor)

    def replace(self, old: str, new: str) -> None:
        os.replace(old, new, src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)

    def unlink(self, name: str) -> None:
        os.unlink(name, dir_fd=self.descriptor)

    def make_folder(self, name: str) -> None:
        os.mkdir(name, dir_fd=self.descriptor)

    def remove_folder(self, name: str) -> None:
        os.rmdir(name, dir_fd=self.descriptor)

    def read_link(self, name: str) -> str:
        return os.readlink(name, dir_fd=self.descriptor)

    def link(self, text: str, name: str) -> None:
        os.symlink(text, name, dir_fd=self.descriptor)

    def status(self, name: str) -> os.stat_result:
        return os.stat(name, dir_fd=self.descriptor, follow_symlinks=False)

    def enter(self, name: str) -> OpenFolder:
        """Open a folder in this one; NotADirectoryError for a file or a link."""
        return OpenFolder(os.open(name, _FOLDER | system.NOFOLLOW, dir_fd=self.descriptor))

    def close(self) -> None:
        os.close(self.descriptor)


class NamedFolder(Struct, frozen=True):
    """A folder by its path; "" is the current one."""

    path: str

    def open(self, name: str, flags: int, mode: int = 0o666) -> int:
        return os.open(self._at(name), flags | system.BINARY, mode)

    def replace(self, old: str, new: str) -> None:
        os.replace(self._at(old), self._at(new))

    def unlink(self, name: str) -> None:
        os.unlink(self._at(name))

    def make_folder(self, name: str) -> None:
        os.mkdir(self._at(name))

    def remove_folder(self, name: str) -> None:
        os.rmdir(self._at(name))

    def read_link(self, name: str) -> str:
        return os.readlink(self._at(name))

    def link(self, text: str, name: str) -> None:
        os.symlink(text, self._at(name))

    def status(self, name: str) -> os.stat_result:
        return os.lstat(self._at(name))

    def enter(self, name: str) -> NamedFolder:
        """Return a folder in this one; NotADirectoryError for a file or a link."""
        if not stat.S_ISDIR(self.status(name).st_mode):
            raise NotADirectoryError(errno.ENOTDIR, "not a folder", name)
        return NamedFolder(self._at(name))

    def close(self) -> None:
        """Do nothing: no descriptor is open."""

    def _at(self, name: str) -> str:
        return os.path.join(self.path, name)


CURRENT = NamedFolder("")
"""The current folder; names may be paths."""


def open_folder(path: str) -> Place:
    """Open a folder by its path. Raises OSError."""
    return OpenFolder(os.open(path, _FOLDER)) if system.HAS_FOLDER_DESCRIPTORS else NamedFolder(path)
