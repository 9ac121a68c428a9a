"""Reverse lookup in the tables: the CUDA names and headers that a HIP name or header replaces, in any ROCm release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from hipport.mappings.entry import Kind, Life
from hipport.mappings.rows import Library, Row


class Origin(Struct, frozen=True):
    """A CUDA name or header that is translated to a HIP one.

    `plain`: calls keep their arguments. `dated`: `cuda` counts CUDA releases, not those of a library.
    """

    name: str
    kind: Kind
    library: str
    cuda: Life
    plain: bool
    dated: bool


def names(libraries: Iterable[Library]) -> dict[str, list[Origin]]:
    """Return the CUDA origins of every HIP name, in the order of the tables; names that both share are left out."""
    found: dict[str, list[Origin]] = {}
    for library in libraries:
        for row in library.names:
            for hip in _spelled(row):
                if hip != row.name:
                    found.setdefault(hip, []).append(_origin(library, row))
    return found


def headers(libraries: Iterable[Library]) -> dict[str, list[Origin]]:
    """Return the CUDA origins of every HIP header; patterns are left out."""
    found: dict[str, list[Origin]] = {}
    for library in libraries:
        for row in library.headers:
            for target in row.hip:
                if "*" not in row.name:
                    found.setdefault(target.name, []).append(_origin(library, row))
    return found


def _spelled(row: Row) -> Iterator[str]:
    """Yield the HIP names that a CUDA name may become."""
    yield from dict.fromkeys(target.name for target in row.hip)


def _origin(library: Library, row: Row) -> Origin:
    return Origin(row.name, row.kind, library.name, row.cuda, not row.args, not library.versions)
