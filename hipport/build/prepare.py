"""Writes what a build needs before its first command: translated sources, the build file, links."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from hipport import atomic
from hipport.errors import HipportError


def write_if_changed(path: Path, data: bytes) -> bool:
    """Write a file whole or not at all, unless it holds these bytes already: its time tells ninja what changed."""
    try:
        if path.read_bytes() == data:
            return False
    except OSError:
        pass
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic.write(path, data)
    return True


def remove_others(folder: Path, keep: Iterable[Path]) -> None:
    """Remove files below a folder of translations that are no longer made: a compiler would still find them."""
    kept = set(keep)
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_symlink() or path.is_file():
            if path not in kept:
                path.unlink()
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()


def make_link(path: Path, target: str) -> None:
    """Make a symbolic link unless it is there."""
    if path.is_symlink() and path.readlink() == Path(target):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def is_installed(product: Path, output: Path) -> bool:
    """Return whether `install` has put this product at its place."""
    made = product.stat()
    try:
        there = output.stat()
    except OSError:
        return False
    return (there.st_mtime_ns, there.st_size) == (made.st_mtime_ns, made.st_size)


def install(product: Path, output: Path) -> bool:
    """Put what was built at its place in one step; False if it is there already.

    The copy keeps the time of the product, by which the next run knows it again.
    """
    if is_installed(product, output):
        return False
    if output.is_dir():
        raise HipportError(f"cannot write {output}: it is a folder", hint="Name a file with -o.")
    output.parent.mkdir(parents=True, exist_ok=True)
    with atomic.replacing(output) as fresh:
        shutil.copy2(product, fresh)
    return True
