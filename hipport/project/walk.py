"""Walk a tree in a fixed order, without following links."""

from __future__ import annotations

import enum
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from hipport.diagnostics import Diagnostic
from hipport.project import problems

if TYPE_CHECKING:
    from hipport.project.ignore import IgnoreRules

STATE = ".hipport"
"""Folder of an output tree in which hipport stores its state; see `hipport.project.state`."""

_NEVER = (".git", STATE)


class EntryKind(enum.Enum):
    FILE = enum.auto()
    LINK = enum.auto()
    FOLDER = enum.auto()


class TreeEntry(Struct, frozen=True):
    """A path found: `source` as the user would name it, `relative` to the tree; size in bytes, permissions.

    `ignored`: a `.gitignore` names the file.
    """

    source: str
    relative: str
    kind: EntryKind
    size: int = 0
    mode: int = 0o644
    ignored: bool = False


class _Folder(Struct, frozen=True):
    source: str
    relative: str  # ends with a slash, empty at the top
    rules: IgnoreRules


def walk(
    tree: str, *, gitignore: bool, without: str | None = None, show_ignored: bool = False
) -> Iterator[TreeEntry | Diagnostic]:
    """Yield everything below a folder that belongs to the project: files before subfolders, by name.

    `without` is a folder to leave out. For what cannot be read or used, a diagnostic is yielded instead. With
    `show_ignored`, also files that git ignores are yielded, but not those below ignored folders.
    """
    from hipport.project.ignore import IgnoreRules, rules_around  # a single file is not walked to

    top = os.path.realpath(tree)
    excluded = os.path.realpath(without) if without is not None else None
    waiting = [_Folder(tree, "", rules_around(top) if gitignore else IgnoreRules())]
    while waiting:
        folder = waiting.pop()
        rules = folder.rules.within(os.path.join(top, folder.relative)) if gitignore else folder.rules
        below: list[_Folder] = []
        for item in _list(folder.source):
            if isinstance(item, Diagnostic):
                yield item
                continue
            is_folder = item.is_dir(follow_symlinks=False)
            real = os.path.join(top, folder.relative, item.name)
            if item.name in _NEVER or real == excluded:
                continue
            ignored = rules.ignores(real, folder=is_folder)
            if ignored and (is_folder or not show_ignored):
                continue
            found = _entry(item, folder.relative)
            if not ignored:
                yield found
            elif isinstance(found, TreeEntry) and found.kind is EntryKind.FILE:
                yield replace(found, ignored=True)
            if is_folder:
                below.append(_Folder(item.path, f"{folder.relative}{item.name}/", rules))
        waiting += reversed(below)


def _list(folder: str) -> list[os.DirEntry[str]] | list[Diagnostic]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: os.fsencode(entry.name))
    except OSError as error:
        return [problems.unreadable(folder, error)]


def _entry(item: os.DirEntry[str], folder: str) -> TreeEntry | Diagnostic:
    relative = folder + item.name
    source = item.path.removeprefix(f".{os.sep}")
    try:
        if item.is_symlink():
            return TreeEntry(source, relative, EntryKind.LINK)
        if item.is_dir(follow_symlinks=False):
            return TreeEntry(source, relative, EntryKind.FOLDER)
        if not item.is_file(follow_symlinks=False):
            return problems.special_file(source)
        status = item.stat(follow_symlinks=False)
        return TreeEntry(source, relative, EntryKind.FILE, status.st_size, status.st_mode & 0o777)
    except OSError as error:
        return problems.unreadable(source, error)
