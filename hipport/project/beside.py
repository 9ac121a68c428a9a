"""Headers beside a source that is translated alone: read for what they define, and left alone."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping

from hipport.context import Context
from hipport.convert import definitions
from hipport.project import sources
from hipport.project.includes import Seen

_MOST = 64  # headers: a limit for what one command reads unasked
_LARGEST = 1 << 20  # bytes of a header


def headers_beside(seen: Mapping[str, Seen], context: Context) -> dict[str, Seen]:
    """What is defined in the headers that sources include and that are not among them.

    The keys are paths with links resolved, as those of `seen`. Only files beside or below a source are read.
    """
    found: dict[str, Seen] = {}
    for path, own in seen.items():
        folder = os.path.dirname(path)
        waiting = [*_candidates(own.includes, folder, folder)]
        while waiting and len(found) < _MOST:
            header = waiting.pop()
            if header in seen or header in found:
                continue
            found[header] = _read(header, context)
            waiting += _candidates(found[header].includes, os.path.dirname(header), folder)
    return found


def _candidates(operands: Iterable[str], beside: str, folder: str) -> Iterator[str]:
    for operand in operands:
        named = os.path.join(beside, operand)
        if not os.path.isfile(named):  # most are headers of the system: links are resolved for the others only
            continue
        path = os.path.realpath(named)
        inside = path.startswith(os.path.join(folder, "")) and sources.is_source(path)
        if inside and os.path.getsize(path) <= _LARGEST:
            yield path


def _read(path: str, context: Context) -> Seen:
    """What a header defines; nothing where it cannot be read."""
    try:
        defines, includes = definitions(sources.read(path), path, context)
    except (OSError, ValueError):
        return Seen(frozenset(), frozenset(), ())
    return Seen(defines, frozenset(), includes)
