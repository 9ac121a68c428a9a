"""Compare the host interface of a release with the emulator's, function by function."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from scripts.host_interface.model import Interface, size_of

Found = tuple[str, str, str]
"""Type, name and text of a `Difference`."""


@dataclass(frozen=True, slots=True, order=True)
class Difference:
    """`name`, a member or enumerator of `type` or empty for all of it, is another for the emulator's `function`."""

    function: str
    type: str
    name: str
    what: str


def agreed(releases: Collection[Interface]) -> frozenset[str]:
    """Return the enumerations whose enumerators have the same numbers in all releases."""
    names = {name for each in releases for name in each.enums}
    return frozenset(name for name in names if _is_agreed([each.enums.get(name, {}) for each in releases]))


def _is_agreed(tables: list[dict[str, int]]) -> bool:
    rows = {row for table in tables for row in table.items()}
    return len({name for name, _ in rows}) == len(rows)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Compares a release with the emulator.

    `agreed` are enumerations that have the same numbers in all releases, so that the emulator may take them as numbers;
    `layouts` has the emulator's structures for those of the release that it takes by pointers without a type,
    empty where it does not read them.
    """

    release: Interface
    emulator: Interface
    agreed: frozenset[str]
    layouts: Mapping[str, str]

    def differences(self) -> Iterator[Difference]:
        """Yield what programs of the release pass to the emulator's functions in another form."""
        for name, function in sorted(self.release.functions.items()):
            own = self.emulator.functions.get(name)
            if own is None:
                continue  # a program with this function is not linked
            if len(function.parameters) != len(own.parameters):
                what = f"{len(function.parameters)} arguments, {len(own.parameters)} in the emulator"
                yield Difference(name, "", "", what)
            pairs = zip((function.result, *function.parameters), (own.result, *own.parameters), strict=False)
            for place, name_, what in (found for theirs, ours in pairs for found in self._types(theirs, ours, "")):
                yield Difference(name, place, name_, what)

    def _types(self, theirs: str, ours: str, place: str) -> Iterator[Found]:
        """Yield the differences between the types of an argument or, with `place`, of a member."""
        if theirs.startswith("ptr ") and ours.startswith("ptr"):
            theirs, ours = theirs[4:], ours[4:] or "ptr"
        kind, _, name = theirs.partition(" ")
        own_kind, _, own_name = ours.partition(" ")
        if kind == own_kind == "enum":
            yield from self._enums(name, own_name)
        elif kind == own_kind == "record":
            yield from self._records(name, own_name)
        elif kind == "record" and ours == "ptr" and name in self.layouts:
            yield from self._records(name, self.layouts[name]) if self.layouts[name] else ()
        elif kind == own_kind and kind.startswith("["):
            yield from self._types(name, own_name, place)
        elif kind == "enum" and own_kind in ("ptr", "i4", "u4"):
            yield from self._numbers(name)
        elif size_of(theirs) != size_of(ours) or kind in ("enum", "record"):
            yield name if kind in ("enum", "record") else place or theirs, "", f"{theirs}, {ours} in the emulator"

    def _numbers(self, theirs: str) -> Iterator[Found]:
        """Yield the differences of an enumeration that the emulator takes as numbers."""
        if theirs in self.emulator.enums:
            yield from self._enums(theirs, theirs)
        elif theirs not in self.agreed:
            yield theirs, "", "other numbers in other releases"

    def _enums(self, theirs: str, ours: str) -> Iterator[Found]:
        numbers, own = self.release.enums[theirs], self.emulator.enums[ours]
        names = {number: {each for each in own if own[each] == number} for number in own.values()}
        for name, number in numbers.items():
            if own.get(name, number) != number:
                yield theirs, name, f"{number}, {own[name]} in the emulator"
            elif name not in own and not names.get(number, set()) <= numbers.keys():
                yield theirs, name, f"{number}, which is {min(names[number])} in the emulator"

    def _records(self, theirs: str, ours: str) -> Iterator[Found]:
        record, own = self.release.records[theirs], self.emulator.records[ours]
        if record.size != own.size:
            yield theirs, "", f"{record.size} bytes, {own.size} in the emulator"
        present = set(self.emulator.parts(f"record {ours}"))
        for name, member in record.members.items():
            other = own.members.get(name)
            if other is not None and member.offset == other.offset:
                yield from self._types(member.type, other.type, f"{theirs}.{name}")
            elif not set(self.release.parts(member.type, member.offset)) <= present:
                where = "no such bytes" if other is None else str(other.offset)
                yield theirs, name, f"at {member.offset}, {where} in the emulator"
