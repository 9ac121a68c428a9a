"""Determine what a file must know from the files that it includes: CUDA names that they define, and constants."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Seen:
    """What a first translation found in a file; see `hipport.translate.convert.Conversion`."""

    defines: frozenset[str]
    uses: frozenset[str]
    includes: tuple[str, ...]


NOTHING_SEEN = Seen(frozenset(), frozenset(), ())


def foreign_names(files: Mapping[str, Seen]) -> dict[str, frozenset[str]]:
    """Return for each file the names that it uses and that a directly or indirectly included file defines.

    Files without such names are left out. The keys are absolute paths with links resolved.
    """
    definers = [path for path, seen in files.items() if seen.defines]
    includers = _includers(files) if definers else {}
    foreign: dict[str, frozenset[str]] = {}
    for definer in definers:
        for path in reached(definer, includers) - {definer}:
            names = told(files[definer].defines, files[path].uses)
            if names:
                foreign[path] = foreign.get(path, frozenset()) | names
    return foreign


def told(defines: Iterable[str], uses: Set[str]) -> frozenset[str]:
    """Return those of a file's definitions (names or `NAME=VALUE`) that a file that includes it uses."""
    return frozenset(each for each in defines if each.partition("=")[0] in uses)


def reached(start: str, edges: Mapping[str, Iterable[str]]) -> set[str]:
    """Return everything that is reachable from `start`, without `start` itself."""
    seen, waiting = {start}, [start]
    while waiting:
        fresh = set(edges.get(waiting.pop(), ())) - seen
        seen |= fresh
        waiting += fresh
    return seen


def _includers(files: Mapping[str, Seen]) -> dict[str, set[str]]:
    """Return the includers of each file."""
    named = by_name(files)
    edges: dict[str, set[str]] = {}
    for path, seen in files.items():
        for operand in seen.includes:
            found = resolve_include(operand, path, named)
            if found is not None:
                edges.setdefault(found, set()).add(path)
    return edges


def by_name(paths: Iterable[str]) -> dict[str, list[str]]:
    """Group paths by file name."""
    found: dict[str, list[str]] = {}
    for path in paths:
        found.setdefault(os.path.basename(path), []).append(path)
    return found


def resolve_include(operand: str, includer: str, named: Mapping[str, list[str]]) -> str | None:
    """Return the project file that an `#include` refers to: beside the includer, else the nearest by path suffix."""
    candidates = named.get(os.path.basename(operand), [])
    beside = os.path.normpath(os.path.join(os.path.dirname(includer), operand))
    if beside in candidates:
        return beside
    ending = "/" + "/".join(part for part in operand.split("/") if part not in ("", ".", ".."))
    fitting = [path for path in candidates if path.endswith(ending)]
    return max(fitting, key=lambda path: len(os.path.commonpath([path, includer])), default=None)
