"""Resolve each CUDA name for one ROCm release and flavor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter

from hipport.errors import HipportError
from hipport.mappings.choice import Flavour, Releases
from hipport.mappings.counterpart import Chooser
from hipport.mappings.entry import Kind, Member
from hipport.mappings.rows import Library, Row
from hipport.mappings.tables import Headers, Tables, is_active, scopes_of

__all__ = ["Flavour", "resolve"]

_Rows = list[tuple[Chooser, Row]]
_Part = Callable[[Library], Sequence[Row]]


def resolve(
    libraries: Sequence[Library], releases: Releases, flavour: Flavour, overlays: Sequence[Library] = ()
) -> Tables:
    """Return the tables for one ROCm release; HipportError if two tables claim one name.

    For each name, an overlay takes precedence over the tables and earlier overlays.
    """
    below = [Chooser.of(library, releases, flavour) for library in libraries]
    above = [Chooser.of(library, releases, flavour) for library in overlays]
    rows = _merged(below, above, attrgetter("names"))
    headers = _merged(below, above, attrgetter("headers"))
    base = {row.name for library in libraries for row in library.names}
    entries = [chooser.entry(row) for chooser, row in rows]
    names = {entry.name: entry for entry in entries if entry.kind is not Kind.NAMESPACE}
    return Tables(
        names=names,
        known=frozenset(names),
        active=frozenset(entry.name for entry in names.values() if is_active(entry)),
        headers=Headers({row.name: chooser.header(row) for chooser, row in headers}),
        members=_members([*below, *above]),
        hip_names=frozenset(t.name for _, row in rows if row.name in names for t in (*row.hip, *row.roc)),
        hip_headers=frozenset(t.name for _, row in headers for t in (*row.hip, *row.roc)),
        namespaces={entry.name: entry for entry in entries if entry.kind is Kind.NAMESPACE},
        own=frozenset(names) - base,
        releases=releases,
        scopes=scopes_of(names),
    )


def _merged(below: Sequence[Chooser], above: Sequence[Chooser], part: _Part) -> _Rows:
    """Return the rows of all tables, where rows of overlays replace others of the same name."""
    found = {row.name: (chooser, row) for chooser, row in _unique(below, part)}
    for chooser in above:
        found.update({row.name: (chooser, row) for row in part(chooser.library)})
    return list(found.values())


def _unique(choosers: Iterable[Chooser], part: _Part) -> Iterator[tuple[Chooser, Row]]:
    seen: dict[str, tuple[Library, Row]] = {}
    for chooser, row in ((each, row) for each in choosers for row in part(each.library)):
        if row.name in seen:
            other, first = seen[row.name]
            raise HipportError(
                f"{chooser.library.file}:{row.line}: {row.name}: already in {other.file}:{first.line}",
                hint="list a name only in the table of the library whose header declares it",
            )
        seen[row.name] = (chooser.library, row)
        yield chooser, row


def _members(choosers: Iterable[Chooser]) -> dict[str, tuple[Member, ...]]:
    rows = {(row.owner, row.name): (chooser, row) for chooser in choosers for row in chooser.library.members}
    found: dict[str, tuple[Member, ...]] = {}
    for chooser, row in rows.values():
        member = chooser.member(row)
        if member is not None:
            found[row.name] = (*found.get(row.name, ()), member)
    return found
