"""Content hashes, by which files are compared."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import time
from collections.abc import Mapping

from hipport.files import sources

Sighting = tuple[int, int, int, int, int, str]
"""A file's state when it was read: size, mtime, ctime, inode, time of reading (all times in ns), digest."""

OTHER = "other"
"""Stands for a digest if there is a folder, a pipe, or a file that cannot be read."""

_LENGTH = 40  # hexadecimal digits of a SHA-256: 160 bits, like git's object names
_BLOCK = 1 << 20
_SETTLED = 2 * 10**9
"""Nanoseconds: a file changed this shortly before it was read may change again without its times showing it."""


def digest(data: bytes) -> str:
    """Return the digest of a file's content."""
    return hashlib.sha256(data).hexdigest()[:_LENGTH]


def digest_of_link(text: str) -> str:
    """Return the digest of a symbolic link's text; it differs from that of a file with the same bytes."""
    return digest(b"link\0" + os.fsencode(text))


def digest_of_file(path: str) -> str:
    """Return the digest of a regular file; raises OSError."""
    found = hashlib.sha256()
    with sources.open_regular(path) as file:
        while block := file.read(_BLOCK):
            found.update(block)
    return found.hexdigest()[:_LENGTH]


class Hasher:
    """Computes digests of what lies at paths.

    As with git's index, a file is not read again if its size, inode and times are as when it was last read; these
    include the inode's change time, which no program can set.
    """

    def __init__(self, known: Mapping[str, Sighting]) -> None:
        self._known = known
        self.seen: dict[str, Sighting] = {}

    def at(self, path: str) -> str | None:
        """Return the digest of a file or link, `OTHER` for anything else or unreadable, None if nothing is there."""
        try:
            status = os.lstat(path)
            if stat.S_ISLNK(status.st_mode):
                return digest_of_link(os.readlink(path))
            return self.of_file(path, status) if stat.S_ISREG(status.st_mode) else OTHER
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            return None if error.errno == errno.ENAMETOOLONG else OTHER

    def of_file(self, path: str, status: os.stat_result) -> str:
        """Return the digest of a regular file; raises OSError."""
        place = os.path.abspath(path)
        known = self._known.get(place)
        if known is None or not _is_surely(known, status):
            known = (*_looks(status), time.time_ns(), digest_of_file(path))
        self.seen[place] = known
        return known[5]

    def is_as_seen(self, path: str, status: os.stat_result) -> bool:
        """Return whether, by its current status, a file is surely unchanged since its digest was taken."""
        known = self.seen.get(os.path.abspath(path))
        return known is not None and _is_surely(known, status)


def _looks(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def _is_surely(known: Sighting, status: os.stat_result) -> bool:
    looks = _looks(status)
    return known[:4] == looks and known[4] - max(looks[1:3]) >= _SETTLED
