"""What a file has to know of the files that it includes: CUDA names that they define themselves, constants."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Seen:
    """What a first translation has found in a file; see `hipport.convert.Conversion`."""

    defines: frozenset[str]
    uses: frozenset[str]
    includes: tuple[str, ...]


NOTHING_SEEN = Seen(frozenset(), frozenset(), ())


def foreign_names(files: Mapping[str, Seen]) -> dict[str, frozenset[str]]:
    """The names that each file uses and that a file it includes, directly or not, defines; only where there are any.

    The keys are paths, absolute and with links resolved.
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
    """What of a file's definitions, names or `NAME=VALUE`, a file that includes it has use for."""
    return frozenset(each for each in defines if each.partition("=")[0] in uses)


def reached(start: str, edges: Mapping[str, Iterable[str]]) -> set[str]:
    """Return `start` and all that can be reached from it."""
    seen, waiting = {start}, [start]
    while waiting:
        fresh = set(edges.get(waiting.pop(), ())) - seen
        seen |= fresh
        waiting += fresh
    return seen


def _includers(files: Mapping[str, Seen]) -> dict[str, set[str]]:
    """For each file those that include it."""
    named = by_name(files)
    edges: dict[str, set[str]] = {}
    for path, seen in files.items():
        for operand in seen.includes:
            found = resolve_include(operand, path, named)
            if found is not None:
                edges.setdefault(found, set()).add(path)
    return edges


def by_name(paths: Iterable[str]) -> dict[str, list[str]]:
    """Paths by the names of the files."""
    found: dict[str, list[str]] = {}
    for path in paths:
        found.setdefault(os.path.basename(path), []).append(path)
    return found


def resolve_include(operand: str, includer: str, named: Mapping[str, list[str]]) -> str | None:
    """The project's file that an `#include` means: beside the includer, or else the nearest whose path ends so."""
    candidates = named.get(os.path.basename(operand), [])
    beside = os.path.normpath(os.path.join(os.path.dirname(includer), operand))
    if beside in candidates:
        return beside
    ending = "/" + "/".join(part for part in operand.split("/") if part not in ("", ".", ".."))
    fitting = [path for path in candidates if path.endswith(ending)]
    return max(fitting, key=lambda path: len(os.path.commonpath([path, includer])), default=None)
