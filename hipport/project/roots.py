"""Resolve the paths on the command line: their kind and destination."""

from __future__ import annotations

import itertools
import os
import stat

from msgspec import Struct

from hipport.errors import UsageError
from hipport.project.request import ConvertRequest, Mode


class Root(Struct, frozen=True):
    """One path of the command line.

    `path` is as the user named it. A file or folder found there at `relative` is written to `folder`, at `prefix` +
    `relative`; for a single file `relative` is its name. `moves`: the destination is elsewhere, or would be without
    `ConvertRequest.rehearsal`, so that links have to be adjusted.
    """

    path: str
    is_tree: bool
    folder: str
    prefix: str = ""
    moves: bool = False


def find_roots(request: ConvertRequest) -> list[Root]:
    """Return the roots for the paths of a request; raises UsageError for invalid ones."""
    kinds = [_is_tree(path, request.mode) for path in request.paths]
    if request.mode is Mode.STDOUT and (len(kinds) != 1 or kinds[0]):
        raise UsageError(
            "--stdout needs exactly one file", hint="For folders or several files use -o DIR, --diff or --check."
        )
    _refuse_overlap(request.paths)
    if request.folder is None:
        moves = request.rehearsal
        return [_root_in_place(path, tree, moves=moves) for path, tree in zip(request.paths, kinds, strict=True)]
    _check_folder(request.folder, request.paths)
    roots = [
        _root_below(path, tree, request.folder, len(kinds)) for path, tree in zip(request.paths, kinds, strict=True)
    ]
    _refuse_namesakes(roots)
    return roots


def _is_tree(path: str, mode: Mode) -> bool:
    try:
        kind = os.stat(path).st_mode
    except OSError as error:
        raise UsageError(f"{path!r}: {(error.strerror or str(error)).lower()}", hint=_near_miss(path)) from None
    if stat.S_ISDIR(kind):
        return True
    if not stat.S_ISREG(kind):
        raise UsageError(f"{path!r} is neither a file nor a folder", hint="Use - for standard input.")
    if mode is Mode.IN_PLACE and os.path.islink(path):
        raise UsageError(f"{path!r} is a symbolic link", hint=f"Name the file itself: {os.path.realpath(path)}")
    return False


def _near_miss(path: str) -> str | None:
    folder, name = os.path.split(path.rstrip("/"))
    try:
        names = os.listdir(folder or ".")
    except OSError:
        return None
    import difflib  # needed for mistakes only

    close = difflib.get_close_matches(name, names, n=1)
    return f"Did you mean {os.path.join(folder, close[0])!r}?" if close else None


def _refuse_overlap(paths: tuple[str, ...]) -> None:
    ordered = sorted(((os.path.realpath(path), path) for path in paths), key=lambda pair: pair[0].split(os.sep))
    for (outer, outer_name), (inner, inner_name) in itertools.pairwise(ordered):
        if inner == outer or is_inside(inner, outer):
            raise UsageError(f"{inner_name!r} was named twice: it is part of {outer_name!r}", hint="Omit one of them.")


def is_inside(path: str, folder: str) -> bool:
    """Return whether a path lies below a folder; both are absolute, with links resolved."""
    return path.startswith(folder.rstrip("/") + "/")


def _root_in_place(path: str, tree: bool, *, moves: bool) -> Root:
    return Root(path, tree, path if tree else os.path.dirname(path) or ".", moves=moves)


def _root_below(path: str, tree: bool, folder: str, count: int) -> Root:
    """Mirror a single tree into the folder itself; with several paths, each tree keeps its name."""
    prefix = os.path.basename(os.path.realpath(path)) + "/" if tree and count > 1 else ""
    return Root(path, tree, folder, prefix, moves=True)


def _check_folder(folder: str, paths: tuple[str, ...]) -> None:
    if not folder:
        raise UsageError("the name of the output folder is empty", hint="Name a folder with -o.")
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise UsageError(
            f"{folder!r} is not a folder", hint="Name a folder with -o, or use --stdout for a single file."
        )
    for path in paths:
        if os.path.realpath(path) == os.path.realpath(folder):
            raise UsageError(f"{folder!r} is also the input", hint="Use --in-place to translate it in place.")


def _refuse_namesakes(roots: list[Root]) -> None:
    seen: dict[str, str] = {}
    for root in roots:
        place = root.prefix.rstrip("/") or ("" if root.is_tree else os.path.basename(root.path))
        if place in seen:
            message = f"{seen[place]!r} and {root.path!r} would both become {os.path.join(root.folder, place)!r}"
            raise UsageError(message, hint="Convert them separately, to different folders.")
        seen[place] = root.path
