"""Content hashes: what files are told apart by."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Mapping

from hipport.project import sources

Sighting = tuple[int, int, int, int, int, str]
"""A file as it was when it was read: size, modified, changed, inode, when it was read (all times in ns), digest."""

OTHER = "other"
"""In place of a digest: there is a folder, a pipe, a file that cannot be read."""

_LENGTH = 40  # hexadecimal digits of a SHA-256: 160 bits, as git's names have
_BLOCK = 1 << 20
_SETTLED = 2 * 10**9
"""Nanoseconds: a file changed so shortly before it was read may change again without its times showing it."""


def digest(data: bytes) -> str:
    """The digest of a file's content."""
    return hashlib.sha256(data).hexdigest()[:_LENGTH]


def digest_of_link(text: str) -> str:
    """The digest of a symbolic link, by what it says; that of no file with the same bytes."""
    return digest(b"link\0" + os.fsencode(text))


def digest_of_file(path: str) -> str:
    """The digest of a regular file; raises OSError."""
    found = hashlib.sha256()
    with sources.open_regular(path) as file:
        while block := file.read(_BLOCK):
            found.update(block)
    return found.hexdigest()[:_LENGTH]


class Hasher:
    """Digests of what lies at paths. As in git's index, a file that looks as when it was last read is not read again:
    same size, inode and times, the time of the last change of the inode included, which no program can set.
    """

    def __init__(self, known: Mapping[str, Sighting]) -> None:
        self._known = known
        self.seen: dict[str, Sighting] = {}

    def at(self, path: str) -> str | None:
        """The digest of a file or link, `OTHER` for anything else or unreadable, None where there is nothing."""
        try:
            status = os.lstat(path)
            if stat.S_ISLNK(status.st_mode):
                return digest_of_link(os.readlink(path))
            return self.of_file(path, status) if stat.S_ISREG(status.st_mode) else OTHER
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError:
            return OTHER

    def of_file(self, path: str, status: os.stat_result) -> str:
        """The digest of a regular file; raises OSError."""
        place = os.path.abspath(path)
        known = self._known.get(place)
        if known is None or not _is_surely(known, status):
            known = (*_looks(status), time.time_ns(), digest_of_file(path))
        self.seen[place] = known
        return known[5]

    def is_as_seen(self, path: str, status: os.stat_result) -> bool:
        """Whether a file surely is as it was when its digest was taken, by what its status says now."""
        known = self.seen.get(os.path.abspath(path))
        return known is not None and _is_surely(known, status)


def _looks(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def _is_surely(known: Sighting, status: os.stat_result) -> bool:
    looks = _looks(status)
    return known[:4] == looks and known[4] - max(looks[1:3]) >= _SETTLED
