"""Chooses, for one ROCm release and flavour, what each CUDA name becomes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter

from hipport.errors import HipportError
from hipport.mappings.choice import Flavour, Releases
from hipport.mappings.counterpart import Chooser
from hipport.mappings.model import Kind, Member
from hipport.mappings.rows import Library, Row
from hipport.mappings.tables import Headers, Tables, is_active

__all__ = ["Flavour", "resolve"]

_Rows = list[tuple[Library, Row]]


def resolve(
    libraries: Sequence[Library], releases: Releases, flavour: Flavour, overlays: Sequence[Library] = ()
) -> Tables:
    """The tables for one ROCm release; HipportError where two tables claim one name.

    What an overlay says of a name takes the place of what the tables, and overlays before it, say.
    """
    chooser = Chooser(releases, flavour, _with_roc_names(libraries))
    rows = _merged(libraries, overlays, attrgetter("names"))
    headers = _merged(libraries, overlays, attrgetter("headers"))
    base = {row.name for library in libraries for row in library.names}
    entries = [chooser.entry(library.name, row) for library, row in rows]
    names = {entry.name: entry for entry in entries if entry.kind is not Kind.NAMESPACE}
    return Tables(
        names=names,
        known=frozenset(names),
        active=frozenset(entry.name for entry in names.values() if is_active(entry)),
        headers=Headers({row.name: chooser.header(library.name, row) for library, row in headers}),
        members=_members(libraries, overlays, chooser),
        hip_names=frozenset(t.name for _, row in rows if row.name in names for t in (*row.hip, *row.roc)),
        hip_headers=frozenset(t.name for _, row in headers for t in (*row.hip, *row.roc)),
        namespaces={entry.name: entry for entry in entries if entry.kind is Kind.NAMESPACE},
        own=frozenset(names) - base,
        releases=releases,
    )


def _with_roc_names(libraries: Iterable[Library]) -> frozenset[str]:
    return frozenset(library.name for library in libraries if any(row.roc for row in library.names))


def _merged(
    libraries: Sequence[Library], overlays: Sequence[Library], rows: Callable[[Library], Sequence[Row]]
) -> _Rows:
    """The rows of all tables, with those of overlays in the place of others of the same name."""
    found = {row.name: (library, row) for library, row in _unique(libraries, rows)}
    for overlay in overlays:
        found.update({row.name: (overlay, row) for row in rows(overlay)})
    return list(found.values())


def _unique(libraries: Iterable[Library], rows: Callable[[Library], Sequence[Row]]) -> Iterator[tuple[Library, Row]]:
    seen: dict[str, tuple[Library, Row]] = {}
    for library, row in ((each, row) for each in libraries for row in rows(each)):
        if row.name in seen:
            other, first = seen[row.name]
            raise HipportError(
                f"{library.file}:{row.line}: {row.name}: is in {other.file}:{first.line} already",
                hint="a name belongs to one table, that of the library whose header declares it",
            )
        seen[row.name] = (library, row)
        yield library, row


def _members(
    libraries: Iterable[Library], overlays: Iterable[Library], chooser: Chooser
) -> dict[str, tuple[Member, ...]]:
    rows = {(row.owner, row.name): row for library in (*libraries, *overlays) for row in library.members}
    found: dict[str, tuple[Member, ...]] = {}
    for row in rows.values():
        member = chooser.member(row)
        if member is not None:
            found[row.name] = (*found.get(row.name, ()), member)
    return found
