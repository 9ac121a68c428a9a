"""Tables as plain data for the cache, in the shape that reads fastest: an entry stays packed until it is asked for."""

from __future__ import annotations

import marshal
from collections.abc import Iterator, Mapping
from typing import Any

from hipport.mappings.model import ArgChange, Entry, Header, Kind, Life, Member, Target
from hipport.mappings.tables import Headers, Tables

FORMAT = b"2"
"""Changes with the shape of an image."""

Image = dict[str, Any]
"""Only what `marshal` stores; sets of names are lines of one text, which is far quicker than a stored set."""


class Entries(Mapping[str, Entry]):
    """Names and their entries, unpacked one by one. `texts` are the sentences that entries share."""

    __slots__ = ("_rows", "_texts")

    def __init__(self, rows: dict[str, bytes], texts: tuple[str, ...]) -> None:
        self._rows = rows
        self._texts = texts

    def __getitem__(self, name: str) -> Entry:
        kind, library, cuda, hip, roc, args, advice, flags = marshal.loads(self._rows[name])
        reason, alternative, note = (self._texts[number] for number in advice)
        changes = tuple(ArgChange(*change) for change in args)
        life, targets = Life(*cuda), (_unpack_target(hip), _unpack_target(roc))
        return Entry(name, Kind(kind), library, life, *targets, changes, reason, alternative, note, *flags)

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


def pack(tables: Tables) -> Image:
    """The inverse of `unpack`."""
    texts: dict[str, int] = {}
    return {
        "names": {name: _pack_entry(entry, texts) for name, entry in tables.names.items()},
        "namespaces": {name: _pack_entry(entry, texts) for name, entry in tables.namespaces.items()},
        "texts": tuple(texts),
        "active": "\n".join(sorted(tables.active)),
        "hip_names": "\n".join(sorted(tables.hip_names)),
        "hip_headers": "\n".join(sorted(tables.hip_headers)),
        "headers": tuple(
            (h.name, h.library, h.hip, h.roc, h.drop, h.reason, h.alternative, h.note)
            for h in tables.headers.all().values()
        ),
        "members": tuple(
            (m.owner, m.name, m.hip, _pack_life(m.rocm), m.reason, m.alternative)
            for members in tables.members.values()
            for m in members
        ),
    }


def unpack(image: Image) -> Tables:
    """Tables from an image."""
    return Tables(
        names=Entries(image["names"], image["texts"]),
        known=frozenset(image["names"]),
        active=frozenset(image["active"].split("\n")),
        headers=Headers({row[0]: Header(*row) for row in image["headers"]}),
        members=_unpack_members(image["members"]),
        hip_names=frozenset(image["hip_names"].split("\n")),
        hip_headers=frozenset(image["hip_headers"].split("\n")),
        namespaces=Entries(image["namespaces"], image["texts"]),
    )


def _pack_entry(entry: Entry, texts: dict[str, int]) -> bytes:
    advice = tuple(texts.setdefault(text, len(texts)) for text in (entry.reason, entry.alternative, entry.note))
    args = tuple(
        (change.op, change.at, change.before, change.after, change.text, change.arity) for change in entry.args
    )
    targets = (_pack_target(entry.hip), _pack_target(entry.roc))
    row = (
        entry.kind.value,
        entry.library,
        _pack_life(entry.cuda),
        *targets,
        args,
        advice,
        (entry.ordinary, entry.drop),
    )
    return marshal.dumps(row)


def _pack_life(life: Life) -> tuple[str | None, ...]:
    return (life.added, life.deprecated, life.changed, life.removed)


def _pack_target(target: Target | None) -> tuple[Any, ...] | None:
    return (target.name, _pack_life(target.life), target.experimental) if target else None


def _unpack_target(row: tuple[Any, ...] | None) -> Target | None:
    return Target(row[0], Life(*row[1]), row[2]) if row else None


def _unpack_members(rows: tuple[tuple[Any, ...], ...]) -> dict[str, tuple[Member, ...]]:
    found: dict[str, tuple[Member, ...]] = {}
    for owner, name, hip, life, reason, alternative in rows:
        member = Member(owner, name, hip, Life(*life), reason, alternative)
        found[name] = (*found.get(name, ()), member)
    return found
