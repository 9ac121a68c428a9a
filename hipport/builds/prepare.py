"""Write what a build needs before its first command: translated sources, the build file, links."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from hipport.errors import HipportError
from hipport.files import atomic


def write_if_changed(path: Path, data: bytes) -> bool:
    """Write a file atomically unless it already holds these bytes: ninja sees changes by modification time."""
    try:
        if path.read_bytes() == data:
            return False
    except OSError:
        pass
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic.write(path, data)
    return True


def remove_others(folder: Path, keep: Iterable[Path]) -> None:
    """Remove stale files from a folder of translations: a compiler would still find them."""
    kept = set(keep)
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_symlink() or path.is_file():
            if path not in kept:
                path.unlink()
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()


def make_link(path: Path, target: str) -> None:
    """Create a symbolic link unless it already exists."""
    if path.is_symlink() and path.readlink() == Path(target):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def is_installed(product: Path, output: Path) -> bool:
    """Return whether `install` has already copied this product to its output."""
    made = product.stat()
    try:
        there = output.stat()
    except OSError:
        return False
    return (there.st_mtime_ns, there.st_size) == (made.st_mtime_ns, made.st_size)


def install(product: Path, output: Path) -> bool:
    """Copy the product to its output in one atomic step; return False if it is already there.

    The copy keeps the product's modification time, by which the next run recognizes it.
    """
    if is_installed(product, output):
        return False
    if output.is_dir():
        raise HipportError(f"cannot write {output}: it is a folder", hint="Name a file with -o.")
    output.parent.mkdir(parents=True, exist_ok=True)
    with atomic.replacing(output) as fresh:
        shutil.copy2(product, fresh)
    return True
