"""Pack tables as plain data for the cache, in the shape fastest to read: an entry stays a line until requested."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hipport.mappings.choice import Origin, Releases
from hipport.mappings.entry import ArgChange, Entry, Header, Kind, Life, Member
from hipport.mappings.life import format_life, format_target, parse_life, parse_target
from hipport.mappings.tables import FreeFunction, Headers, Tables

FORMAT = b"13"
"""To be changed with the shape of an image."""

Image = dict[str, Any]
"""Contains only types that `marshal` stores. Names and entries are lines of text: far faster than a set or dict."""


class Entries(Mapping[str, Entry]):
    """Entries by name, unpacked on first access; `shared` are the sentences and argument changes that many use."""

    __slots__ = ("_lines", "_shared", "_unpacked")

    def __init__(self, lines: dict[str, str], shared: tuple[Any, ...]) -> None:
        self._lines = lines
        self._shared = shared
        self._unpacked: dict[str, Entry] = {}

    def __getitem__(self, name: str) -> Entry:
        entry = self._unpacked.get(name)
        if entry is None:
            entry = self._unpacked[name] = self._unpack(name)
        return entry

    def _unpack(self, name: str) -> Entry:
        life, hip, roc, *numbers = self._lines[name].split("\t")
        origin, args, *advice, flags = (self._shared[int(number)] for number in numbers)
        return Entry(
            name,
            Kind(origin[0]),
            origin[1],
            parse_life(life),
            parse_target(hip) if hip else None,
            parse_target(roc) if roc else None,
            tuple(ArgChange(*change) for change in args),
            *advice,
            *flags,
        )

    def __contains__(self, name: object) -> bool:
        return name in self._lines

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)


def pack(tables: Tables) -> Image:
    """Return the image that `unpack` reads."""
    shared: dict[Any, int] = {}
    return {
        "names": "\n".join(tables.names),
        "entries": "\n".join(_line(entry, shared) for entry in tables.names.values()),
        "namespaces": "\n".join(tables.namespaces),
        "namespace entries": "\n".join(_line(entry, shared) for entry in tables.namespaces.values()),
        "shared": tuple(shared),
        "passive": _lines(tables.known - tables.active),
        "hip_names": _lines(tables.hip_names),
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
    names = _dict(image["names"], image["entries"])
    known = frozenset(names)
    rocm, origin, cuda, torch, torch_origin = image["releases"]
    return Tables(
        names=Entries(names, image["shared"]),
        known=known,
        active=known - _set(image["passive"]),
        headers=Headers({row[0]: Header(*row) for row in image["headers"]}),
        members=_members(image["members"]),
        hip_names=_set(image["hip_names"]),
        hip_headers=_set(image["hip_headers"]),
        namespaces=Entries(_dict(image["namespaces"], image["namespace entries"]), image["shared"]),
        own=_set(image["own"]),
        releases=Releases(rocm, Origin(origin), cuda, torch, Origin(torch_origin)),
        functions={name: FreeFunction(*of) for name, of in image["functions"].items()},
        in_c=_set(image["in_c"]),
        c_includes=image["c_includes"],
    )


def _line(entry: Entry, shared: dict[Any, int]) -> str:
    args = tuple(
        (change.op, change.at, change.before, change.after, change.text, change.arity, change.given, change.header)
        for change in entry.args
    )
    advice = (entry.reason, entry.alternative, entry.note)
    common = (
        (entry.kind.value, entry.library),
        args,
        *advice,
        (entry.ordinary, entry.drop, entry.absent, entry.support, entry.tag, entry.overloads),
    )
    numbers = (str(shared.setdefault(item, len(shared))) for item in common)
    targets = (format_target(target) if target else "" for target in (entry.hip, entry.roc))
    return "\t".join((format_life(entry.cuda), *targets, *numbers))


def _releases(releases: Releases) -> tuple[str | None, ...]:
    return (releases.rocm, releases.origin.value, releases.cuda, releases.torch, releases.torch_origin.value)


def _life(life: Life) -> tuple[str | None, ...]:
    return (life.added, life.deprecated, life.changed, life.removed)


def _lines(names: Iterable[str]) -> str:
    return "\n".join(sorted(names))


def _set(lines: str) -> frozenset[str]:
    return frozenset(lines.split("\n")) if lines else frozenset()


def _dict(names: str, entries: str) -> dict[str, str]:
    return dict(zip(names.split("\n"), entries.split("\n"), strict=True)) if names else {}


def _members(rows: tuple[tuple[Any, ...], ...]) -> dict[str, tuple[Member, ...]]:
    found: dict[str, tuple[Member, ...]] = {}
    for owner, name, hip, life, *rest in rows:
        member = Member(owner, name, hip, Life(*life), *rest)
        found[name] = (*found.get(name, ()), member)
    return found
