"""Keeps compiled tables, and what libclang said, in the user's cache folder.

A cache that cannot be used is as good as none.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import sys
from importlib.util import source_hash
from pathlib import Path
from typing import Any

from hipport import atomic

_MAGIC = b"hipport tables 1\n"
_TABLES = "tables"
_HEAD = len(_MAGIC) + 8
_KEPT = 16
"""Files of a kind that stay; of tables: a few releases, flavours, overlays of this version, and of the one before."""


def key(*parts: bytes) -> str:
    """A name for what the parts determine, on this Python, whose `marshal` format it is.

    The hash is that of hash-based `.pyc` files: it tells versions of the same sources apart, and no more is needed,
    for nobody but the user can write here.
    """
    framed = b"".join(
        len(part).to_bytes(8, "little") + part for part in (sys.implementation.cache_tag.encode(), *parts)
    )
    return source_hash(framed).hex()


def folder() -> Path | None:
    """The user's cache folder for hipport, whether it exists or not; None where there is no home."""
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if base.is_absolute():
        return base / "hipport"
    try:
        return Path.home() / ".cache" / "hipport"
    except RuntimeError:
        return None


def read(name: str, kind: str = _TABLES) -> Any:
    """What was stored under a name; None if that is missing, damaged, or not in the user's own hands."""
    path = _path(name, kind)
    if path is None:
        return None
    try:
        if not _is_private(path.parent) or not _is_private(path):
            return None
        data = path.read_bytes()
    except OSError:
        return None
    head, payload = data[:_HEAD], data[_HEAD:]
    return marshal.loads(payload) if head == _MAGIC + source_hash(payload) else None


def write(name: str, value: Any, kind: str = _TABLES) -> None:
    """Store a value that `marshal` knows; silently does nothing where that is impossible.

    Other processes see all of it or nothing.
    """
    path = _path(name, kind)
    if path is None:
        return
    payload = marshal.dumps(value)
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _is_private(path.parent):
            atomic.write(path, _MAGIC + source_hash(payload) + payload)
            _prune(path.parent, kind)


def _path(name: str, kind: str) -> Path | None:
    base = folder()
    return base / f"{kind}-{name}.bin" if base else None


def _is_private(path: Path) -> bool:
    """Nobody but the user can have put it there: `marshal` must not read what a stranger wrote."""
    status = path.stat()
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022


def _prune(base: Path, kind: str) -> None:
    files = sorted(base.glob(f"{kind}-*.bin"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in files[_KEPT:]:
        path.unlink(missing_ok=True)
