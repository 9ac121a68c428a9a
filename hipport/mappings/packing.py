"""Pack tables as plain data for the cache, in the shape fastest to read: names and entries stay text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hipport.mappings.choice import Origin, Releases
from hipport.mappings.entry import Header, Life, Member
from hipport.mappings.names import Entries, Lines, Names, pack_entry
from hipport.mappings.tables import FreeFunction, Headers, Tables

FORMAT = b"16"
"""To be changed with the shape of an image."""

Image = dict[str, Any]
"""Contains only types that `marshal` stores. Names and entries are lines of text: far faster than a set or dict."""


def pack(tables: Tables) -> Image:
    """Return the image that `unpack` reads."""
    shared: dict[Any, int] = {}
    return {
        "names": Lines.pack({name: pack_entry(entry, shared) for name, entry in tables.names.items()}),
        "namespaces": Lines.pack({name: pack_entry(entry, shared) for name, entry in tables.namespaces.items()}),
        "scopes": {scope: _lines(names) for scope, names in tables.scopes.items()},
        "shared": tuple(shared),
        "passive": _lines(tables.known - tables.active),
        "hip_names": Lines.pack(dict.fromkeys(sorted(tables.hip_names), "")),
        "hip_headers": _lines(tables.hip_headers),
        "headers": tuple(
            (h.name, h.library, h.hip, h.roc, h.drop, h.reason, h.alternative, h.note)
            for h in tables.headers.all().values()
        ),
        "members": tuple(
            (m.owner, m.name, m.hip, _life(m.rocm), m.reason, m.alternative, m.function, m.header)
            for members in tables.members.values()
            for m in members
        ),
        "own": _lines(tables.own),
        "functions": {name: (f.function, f.header, f.has_arguments) for name, f in tables.functions.items()},
        "in_c": _lines(tables.in_c),
        "c_includes": dict(tables.c_includes),
        "releases": _releases(tables.releases),
    }


def unpack(image: Image) -> Tables:
    """Return the tables of an image."""
    names, shared = Lines(*image["names"]), image["shared"]
    rocm, origin, cuda, torch, torch_origin = image["releases"]
    return Tables(
        names=Entries(names, shared),
        known=Names(names),
        active=Names(names, less=_set(image["passive"])),
        headers=Headers({row[0]: Header(*row) for row in image["headers"]}),
        members=_members(image["members"]),
        hip_names=Names(Lines(*image["hip_names"])),
        hip_headers=_set(image["hip_headers"]),
        namespaces=Entries(Lines(*image["namespaces"]), shared),
        scopes={scope: _set(found) for scope, found in image["scopes"].items()},
        own=_set(image["own"]),
        releases=Releases(rocm, Origin(origin), cuda, torch, Origin(torch_origin)),
        functions={name: FreeFunction(*of) for name, of in image["functions"].items()},
        in_c=_set(image["in_c"]),
        c_includes=image["c_includes"],
    )


def _releases(releases: Releases) -> tuple[str | None, ...]:
    return (releases.rocm, releases.origin.value, releases.cuda, releases.torch, releases.torch_origin.value)


def _life(life: Life) -> tuple[str | None, ...]:
    return (life.added, life.deprecated, life.changed, life.removed)


def _lines(names: Iterable[str]) -> str:
    return "\n".join(sorted(names))


def _set(lines: str) -> frozenset[str]:
    return frozenset(lines.split("\n")) if lines else frozenset()


def _members(rows: tuple[tuple[Any, ...], ...]) -> dict[str, tuple[Member, ...]]:
    found: dict[str, tuple[Member, ...]] = {}
    for owner, name, hip, life, *rest in rows:
        member = Member(owner, name, hip, Life(*life), *rest)
        found[name] = (*found.get(name, ()), member)
    return found
