"""Open nested folders one by one, never through a link, and keep them open for the next file."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Sequence

from hipport.files.places import Place, open_folder


class Folders:
    """The folder `top` and the open folders from there to the one requested last."""

    def __init__(self, top: str) -> None:
        self._top = top
        self._names: list[str] = []
        self._open: list[Place] = []

    def at(self, path: Sequence[str]) -> Place:
        """Return a folder, created if missing, valid until the next call. Raises OSError."""
        if not self._open:
            os.makedirs(self._top, exist_ok=True)
            self._open.append(open_folder(self._top))
        self._leave(_common(self._names, path))
        for name in path[len(self._names) :]:
            self._open.append(_enter(self._open[-1], name))
            self._names.append(name)
        return self._open[-1]

    def close(self) -> None:
        self._leave(0)
        while self._open:
            self._open.pop().close()

    def _leave(self, kept: int) -> None:
        """Close all but `top` and the first `kept` folders below it."""
        while len(self._names) > kept:
            self._names.pop()
            self._open.pop().close()


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    """Return the length of the common prefix."""
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count


def _enter(parent: Place, name: str) -> Place:
    with contextlib.suppress(FileNotFoundError):
        return _open(parent, name)
    with contextlib.suppress(FileExistsError):
        parent.make_folder(name)
    return _open(parent, name)


def _open(parent: Place, name: str) -> Place:
    try:
        return parent.enter(name)
    except NotADirectoryError:
        raise NotADirectoryError(
            errno.ENOTDIR, f"{name} is a file or a symbolic link in the output, not a folder"
        ) from None
