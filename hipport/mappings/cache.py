"""Cache compiled tables and libclang's answers in the user's cache folder.

A cache that cannot be used is treated as empty.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import sys
from importlib.util import source_hash
from pathlib import Path
from typing import Any

_MAGIC = b"hipport tables 1\n"
_TABLES = "tables"
_HEAD = len(_MAGIC) + 8
_KEPT = 16
"""Number of files to keep per kind; room for several releases, flavors and overlays of this version and the last."""


def key(*parts: bytes) -> str:
    """Return a cache key for the parts and this Python, whose `marshal` format is used.

    The hash is the one of hash-based `.pyc` files: it distinguishes versions of the same sources, which suffices
    because only the user can write here.
    """
    framed = b"".join(
        len(part).to_bytes(8, "little") + part for part in (sys.implementation.cache_tag.encode(), *parts)
    )
    return source_hash(framed).hex()


def folder() -> Path | None:
    """Return hipport's cache folder of the user, which need not exist; None without a home folder."""
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if base.is_absolute():
        return base / "hipport"
    try:
        return Path.home() / ".cache" / "hipport"
    except RuntimeError:
        return None


def read(name: str, kind: str = _TABLES) -> Any:
    """Return the value stored under a name; None if it is missing, damaged, or writable by others than the user."""
    path = _path(name, kind)
    if path is None:
        return None
    try:
        if not _is_private(path.parent) or not _is_private(path):
            return None
        data = memoryview(path.read_bytes())
    except OSError:
        return None
    head, payload = data[:_HEAD], data[_HEAD:]
    return marshal.loads(payload) if head == _MAGIC + source_hash(payload) else None


def write(name: str, value: Any, kind: str = _TABLES) -> None:
    """Store a value that `marshal` supports; do nothing if that is impossible.

    The write is atomic for other processes.
    """
    from hipport.files import atomic  # most commands only read

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
    """Return whether only the user can have written it: `marshal` must not read untrusted data."""
    if not hasattr(os, "geteuid"):  # the cache is in the user's profile, which Windows protects
        return True
    status = path.stat()
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022


def _prune(base: Path, kind: str) -> None:
    files = sorted(base.glob(f"{kind}-*.bin"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in files[_KEPT:]:
        path.unlink(missing_ok=True)
