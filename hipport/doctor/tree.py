"""Analyze a source tree: the headers it includes, and whether it is built by CMake."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from hipport.diagnostics import Diagnostic
from hipport.errors import UsageError
from hipport.files.sources import LARGEST, is_source, read
from hipport.project.walk import EntryKind, walk
from hipport.source import SourceFile
from hipport.translate.syntax.includes import includes
from hipport.translate.syntax.unit import parse


@dataclass(frozen=True, slots=True)
class TreeUse:
    """The operands of `#include` lines with the number of files of each, and whether there is a CMakeLists.txt."""

    root: Path
    includes: tuple[tuple[str, int], ...] = ()
    cmake: bool = False


def look(tree: Path) -> TreeUse:
    """Read a tree, skipping unreadable files. Raises `UsageError` if it is not a folder."""
    if not tree.is_dir():
        raise UsageError(f"{tree} is not a folder", hint="Name the folder with the sources, or omit it.")
    counts: Counter[str] = Counter()
    cmake = False
    for found in walk(str(tree), gitignore=True):
        if isinstance(found, Diagnostic) or found.kind is not EntryKind.FILE:
            continue
        cmake |= Path(found.relative).name == "CMakeLists.txt"
        if is_source(found.relative) and found.size <= LARGEST:
            counts.update(_included(found.source))
    return TreeUse(tree, tuple(sorted(counts.items())), cmake)


def _included(path: str) -> set[str]:
    try:
        unit = parse(SourceFile.decode(read(path), path))
    except OSError:
        return set()
    return {include.operand for include in includes(unit)}
