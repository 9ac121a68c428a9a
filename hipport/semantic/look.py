"""Scan the project's files for what decides how they are parsed: includes, and the presence of CUDA names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Set

from msgspec import Struct

from hipport.files import sources
from hipport.files.include_lines import include_lines
from hipport.files.includes import by_name, resolve_include

_NAME = re.compile(rb"[A-Za-z_]\w*")
_UNITS = frozenset({".cu", ".c", ".cc", ".cpp", ".cxx", ".c++", ".C"})
"""Suffixes of files that are compiled on their own."""


class Glance(Struct, frozen=True):
    """The includes of a file, as spelled, and whether it contains any of the names asked about."""

    includes: tuple[str, ...]
    mentions: bool


def glances(digests: Mapping[str, str], names: Set[str], known: Mapping[str, Glance]) -> dict[str, Glance]:
    """Scan files, returning results by path; unreadable files count as empty. `known` are earlier results by digest."""
    wanted = frozenset(name.encode() for name in names)
    return {file: known.get(digest) or _glance(file, wanted) for file, digest in digests.items()}


def _glance(file: str, names: frozenset[bytes]) -> Glance:
    try:
        data = sources.read(file)
    except OSError:
        return Glance((), False)
    operands = tuple(line.operand for line in include_lines(data))
    return Glance(operands, any(match[0] in names for match in _NAME.finditer(data)))


class Tree(Struct, frozen=True):
    """The project's files, and for each the files that it includes, as (operand, file) pairs."""

    files: Mapping[str, Glance]
    includes: Mapping[str, tuple[tuple[str, str], ...]]

    @classmethod
    def of(cls, files: Mapping[str, Glance]) -> Tree:
        """Resolve the includes to files: beside the includer, else the nearest whose path ends with the operand."""
        named = by_name(files)
        return cls(files, {file: tuple(_included(file, glance, named)) for file, glance in files.items()})

    def operands(self) -> frozenset[str]:
        """Return all include operands, as spelled."""
        return frozenset(operand for glance in self.files.values() for operand in glance.includes)

    def units(self) -> list[str]:
        """Return the files worth parsing: compiled on their own, with a wanted name in them or in their includes."""
        return [file for file in self.files if os.path.splitext(file)[1] in _UNITS and self._reaches_names(file)]

    def folders(self) -> list[str]:
        """Return the folders to search for included files that are not beside the includer."""
        needed: dict[str, None] = {}
        for file, included in self.includes.items():
            for operand, found in included:
                beside = os.path.normpath(os.path.join(os.path.dirname(file), operand))
                if found != beside and found.endswith(f"/{operand}"):
                    needed[found.removesuffix(f"/{operand}") or "/"] = None
        return list(needed)

    def _reaches_names(self, start: str) -> bool:
        seen, waiting = {start}, [start]
        while waiting:
            file = waiting.pop()
            if self.files[file].mentions:
                return True
            fresh = {path for _, path in self.includes[file]} - seen
            seen |= fresh
            waiting += fresh
        return False


def _included(file: str, glance: Glance, named: Mapping[str, list[str]]) -> Iterator[tuple[str, str]]:
    for operand in glance.includes:
        found = resolve_include(operand, file, named)
        if found is not None:
            yield operand, found
