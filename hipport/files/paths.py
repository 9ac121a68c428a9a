r"""Paths with slashes on every system, for files that are shared (baselines, diffs, SARIF, CMake) and for comparisons.

`rules` is `os.path`, or in tests `ntpath`, whose separator is `\`.
"""

from __future__ import annotations

import os
from types import ModuleType


def is_possible(path: str) -> bool:
    """Return whether a text can be a path: NUL and what no encoding has, such as a lone surrogate in JSON, cannot."""
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def slashed(path: str, rules: ModuleType = os.path) -> str:
    r"""Return the path with slashes. On POSIX a `\` is part of a name and stays."""
    return path.replace("\\", "/") if rules.sep == "\\" else path


def relative(path: str, folder: str = ".", rules: ModuleType = os.path) -> str:
    """Return the path relative to a folder, with slashes; an absolute one if it is on another drive of Windows."""
    try:
        found: str = rules.relpath(path, folder)
    except ValueError:
        found = rules.abspath(path)
    return slashed(found, rules)


def is_below(path: str) -> bool:
    """Return whether a path that `relative` returned is in the folder, not above it or on another drive."""
    return path.split("/")[0] != ".." and not path.startswith("/") and path[1:2] != ":"
