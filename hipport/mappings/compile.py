"""From the YAML files to tables: the slow way, taken when the cache has none."""

from __future__ import annotations

from collections.abc import Mapping

from hipport.errors import HipportError
from hipport.mappings.document import read
from hipport.mappings.resolve import Flavour, resolve
from hipport.mappings.rows import Library
from hipport.mappings.schema import parse_library, parse_release
from hipport.mappings.tables import Tables

RELEASES = "releases.yaml"
"""Says up to which CUDA and ROCm releases the tables know the APIs."""


def compile_tables(sources: Mapping[str, bytes], rocm: str | None, flavour: Flavour) -> Tables:
    """Check all tables and resolve them for one ROCm release; None is the newest that they know."""
    return resolve(libraries(sources), rocm or newest(sources)["rocm"], flavour)


def libraries(sources: Mapping[str, bytes]) -> list[Library]:
    """The checked tables, one for each file but `releases.yaml`."""
    return [parse_library(_text(data, name), name) for name, data in sources.items() if name != RELEASES]


def newest(sources: Mapping[str, bytes]) -> dict[str, str]:
    """The newest `cuda` and `rocm` releases that the tables know."""
    if RELEASES not in sources:
        raise HipportError(f"{RELEASES}: the file is missing from the mapping tables", hint="reinstall hipport")
    root = read(_text(sources[RELEASES], RELEASES), RELEASES)
    parts = root.members({"cuda", "rocm"})
    for key in ("cuda", "rocm"):
        if key not in parts:
            root.fail(f"the key {key!r} is missing")
        parse_release(parts[key])
    return {key: value.text() for key, value in parts.items()}


def _text(data: bytes, name: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise HipportError(f"{name}: not UTF-8 at byte {error.start}") from None
