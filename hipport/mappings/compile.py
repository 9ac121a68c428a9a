"""Compile the YAML files to tables; slow, used on a cache miss."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from hipport.errors import HipportError
from hipport.mappings.choice import NameChoice
from hipport.mappings.compat import parse_provided
from hipport.mappings.overlays import Overlays
from hipport.mappings.releases import FILE as RELEASES
from hipport.mappings.releases import Known, chosen, parse_known
from hipport.mappings.resolve import resolve
from hipport.mappings.rows import Library
from hipport.mappings.schema import parse_library
from hipport.mappings.tables import PROVIDED, Tables


def compile_tables(sources: Mapping[str, bytes], choice: NameChoice, overlays: Overlays) -> Tables:
    """Check all tables and resolve them for the choice."""
    releases = chosen(known_releases(sources), choice)
    tables = resolve(libraries(sources), releases, choice.flavour, overlays.libraries)
    if PROVIDED not in sources:
        return tables
    own = {row.name for overlay in overlays.libraries for row in (*overlay.names, *overlay.headers)}
    return parse_provided(_text(sources[PROVIDED], PROVIDED), releases.rocm, choice.flavour).added_to(tables, own)


def libraries(sources: Mapping[str, bytes]) -> list[Library]:
    """Return the checked tables, one for each file that is a library's."""
    return list(_libraries(tuple(sources.items())))


@functools.lru_cache(maxsize=1)  # for several releases in one process, as in tests
def _libraries(sources: tuple[tuple[str, bytes], ...]) -> tuple[Library, ...]:
    others = (RELEASES, PROVIDED)
    return tuple(parse_library(_text(data, name), name) for name, data in sources if name not in others)


def known_releases(sources: Mapping[str, bytes]) -> Known:
    """Return the CUDA and ROCm releases that the tables know."""
    if RELEASES not in sources:
        raise HipportError(f"{RELEASES}: the file is missing from the mapping tables", hint="reinstall hipport")
    return parse_known(_text(sources[RELEASES], RELEASES))


def newest(sources: Mapping[str, bytes]) -> dict[str, str]:
    """Return the newest `cuda` and `rocm` releases that the tables know."""
    known = known_releases(sources)
    return {"cuda": known.cuda[-1], "rocm": known.rocm[-1]}


def _text(data: bytes, name: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise HipportError(f"{name}: not UTF-8 at byte {error.start}") from None
