"""Add to the tables what hipport's own headers (`hipport/include/hipport/compat/`) provide because HIP lacks it."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from hipport.mappings.entry import Entry, Header, HipName, Kind, Member
from hipport.mappings.tables import FreeFunction, Headers, Tables, scopes_of

_ARGUMENTS = "(...)"
_OVERLOADS = "*"
_ARITY = "/"


class Provider(Struct, frozen=True):
    """One header. In ROCm releases before `overrides` it is used even if HIP has a counterpart.

    `calls` are functions with a number of arguments for which HIP has no counterpart, each with the header's function.
    `names` are CUDA names, each with its name in the header, or `*` where the header adds overloads to the functions
    of HIP; `members` are member functions that HIP has from release
    `overrides` on, likewise, with `(...)` after those that take arguments; `data` are members of structs, as
    `struct.member`, each with the function that returns for the struct what the member would hold; `empty` are structs
    of `names` that lack the members of CUDA's.
    """

    header: str
    names: tuple[tuple[str, str], ...] = ()
    includes: tuple[str, ...] = ()
    overrides: tuple[int, ...] = ()
    members: tuple[tuple[str, str], ...] = ()
    data: tuple[tuple[str, str], ...] = ()
    empty: tuple[str, ...] = ()
    calls: tuple[tuple[str, str], ...] = ()


class Provided(Struct, frozen=True):
    """Everything that the headers provide for one ROCm release: CUDA names, and CUDA headers by their `#include`.

    `in_c` are the headers that C sources can include, `c_includes` the CUDA headers that one replaces in C sources
    only.
    """

    names: Mapping[str, tuple[Provider, str]]
    includes: Mapping[str, Provider]
    members: Mapping[str, tuple[Provider, str]]
    data: Mapping[str, tuple[Provider, str]]
    rocm: tuple[int, ...]
    in_c: frozenset[str] = frozenset()
    c_includes: Mapping[str, str] = field(default_factory=dict)
    calls: Mapping[str, tuple[Provider, str]] = field(default_factory=dict)

    def added_to(self, tables: Tables, own: Collection[str]) -> Tables:
        """Return the tables with the gaps filled; `own` are names and headers that overlays define."""
        filled = {name: self._entry(tables.names.get(name), name) for name in self.names if name not in own}
        called = {name: self._called(tables.names[name]) for name in self._functions() if name not in own}
        ours = {name for name, entry in filled.items() if entry.support}
        whole = ours.difference(*(provider.empty for provider, _ in self.names.values()))
        headers = {name: at for name, at in self.includes.items() if name not in own}
        return replace(
            tables,
            names={**tables.names, **called, **filled},
            known=tables.known | set(filled),
            scopes=scopes_of(tables.known | set(filled)),
            active=tables.active | ours,
            members={
                name: tuple(self._member(member) for member in members if member.owner not in whole)
                for name, members in tables.members.items()
            },
            headers=Headers({**tables.headers.all(), **self._headers(tables.headers, headers)}),
            functions={
                name: FreeFunction(spelled.removesuffix(_ARGUMENTS), provider.header, spelled.endswith(_ARGUMENTS))
                for name, (provider, spelled) in self.members.items()
                if self.rocm < provider.overrides
            },
            in_c=self.in_c,
            c_includes={name: header for name, header in self.c_includes.items() if name not in own},
        )

    def _functions(self) -> set[str]:
        return {call.partition(_ARITY)[0] for call in self.calls}

    def _called(self, entry: Entry) -> Entry:
        """Return the entry of a function with the header's in front of each change that refuses a call."""
        refused = [change for change in entry.args if change.op == "refuse"]
        given = [(change, self.calls.get(f"{entry.name}{_ARITY}{change.arity}")) for change in refused]
        ours = [replace(change, op="rename", text=of[1], header=of[0].header) for change, of in given if of is not None]
        return replace(entry, args=(*ours, *entry.args))

    def _member(self, member: Member) -> Member:
        """Return the member with the header's function that replaces it, if HIP lacks it."""
        provided = self.data.get(f"{member.owner}.{member.name}")
        if provided is None or member.hip is not None:
            return member
        provider, function = provided
        return replace(member, function=function, header=provider.header)

    def _entry(self, entry: Entry | None, name: str) -> Entry:
        """Return the entry of a name that a header provides; the tables need not have it."""
        provider, spelled = self.names[name]
        if entry is None:
            entry = Entry(name, Kind.FUNCTION, "compat")
        if entry.absent or entry.drop or not self._is_needed(provider, entry.hip is not None):
            return entry
        if spelled == _OVERLOADS:
            return replace(entry, support=provider.header, overloads=True) if entry.hip is not None else entry
        own = HipName(spelled)
        refused = tuple(change for change in entry.args if change.op == "refuse")
        return replace(entry, hip=own, args=refused, reason="", alternative="", note="", support=provider.header)

    def _headers(self, known: Headers, wanted: Mapping[str, Provider]) -> dict[str, Header]:
        found: dict[str, Header] = {}
        for include, provider in wanted.items():
            header = known.get(include)
            if self._is_needed(provider, header is not None and (header.hip is not None or header.drop)):
                found[include] = Header(include, header.library if header else "compat", provider.header)
        return found

    def _is_needed(self, provider: Provider, in_hip: bool) -> bool:
        return not in_hip or self.rocm < provider.overrides
