"""Find what the files of a tree include: each other, and headers next to a source that is translated on its own."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator, Mapping

from msgspec import Struct

from hipport.files import sources
from hipport.files.includes import Edges, Seen, edges_by_name
from hipport.project.translate import Source
from hipport.translate.context import Context
from hipport.translate.convert import definitions

_MOST = 64  # headers: limits what one command reads unasked
_LARGEST = 1 << 20  # bytes of a header


class TreeResolver(Struct, frozen=True):
    """Resolves includes in a tree all of whose files are known, and whose include folders are not."""

    context: Context

    def further(self, seen: Mapping[str, Seen]) -> tuple[Source, ...]:
        return ()

    def outside(self, seen: Mapping[str, Seen]) -> Mapping[str, Seen]:
        return headers_beside(seen, self.context)

    def edges(self, seen: Mapping[str, Seen]) -> Edges:
        return edges_by_name(seen)


def headers_beside(seen: Mapping[str, Seen], context: Context) -> dict[str, Seen]:
    """Return what is defined in headers that the sources include and that are not among the sources.

    The keys are paths with links resolved, like those of `seen`. Only files beside or below a source are read.
    """
    found: dict[str, Seen] = {}
    for path, own in seen.items():
        folder = os.path.dirname(path)
        waiting = [*_candidates(own.includes, folder, folder, seen)]
        while waiting and len(found) < _MOST:
            header = waiting.pop()
            if header in seen or header in found:
                continue
            found[header] = _read(header, context)
            waiting += _candidates(found[header].includes, os.path.dirname(header), folder, seen)
    return found


def _candidates(operands: Iterable[str], beside: str, folder: str, seen: Container[str]) -> Iterator[str]:
    """Yield the headers inside `folder` that files in `beside` include, without most of those among the sources."""
    for operand in operands:
        named = os.path.join(beside, operand)
        # Neither `beside` nor a path in `seen` has links in it, so only `link/..` could lead elsewhere.
        if ".." not in operand.lstrip("./") and os.path.normpath(named) in seen:
            continue
        if not os.path.isfile(named):  # most are system headers: links are resolved only for the others
            continue
        path = os.path.realpath(named)
        inside = path.startswith(os.path.join(folder, "")) and sources.is_source(path)
        if inside and os.path.getsize(path) <= _LARGEST:
            yield path


def _read(path: str, context: Context) -> Seen:
    """Return what a header defines, or nothing if it cannot be read."""
    try:
        found = definitions(sources.read(path), path, context)
    except (OSError, ValueError):
        return Seen(frozenset(), frozenset(), ())
    return Seen(found.defines, frozenset(), found.includes, found.declares)
