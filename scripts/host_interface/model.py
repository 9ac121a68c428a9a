"""What a release's headers say about the host functions, as plain data.

A type is a text: `i4`, `u8`, `f4` (kind and bytes), `void`, `ptr` or `ptr TYPE` (to an enumeration or a structure),
`enum NAME`, `record NAME`, and `[COUNT] TYPE` for arrays. Structures without names are named after the member that has
them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a structure or union, `offset` bytes from its start."""

    offset: int
    type: str


@dataclass(frozen=True, slots=True)
class Record:
    """A structure or union of `size` bytes."""

    size: int
    members: dict[str, Member]


@dataclass(frozen=True, slots=True)
class Function:
    """The types that a function takes and returns."""

    result: str
    parameters: tuple[str, ...]


@dataclass(slots=True)
class Interface:
    """The host interface of one release."""

    enums: dict[str, dict[str, int]] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)

    def parts(self, type_: str, offset: int = 0) -> Iterator[tuple[int, int]]:
        """Yield offset and bytes of each number and pointer in an object of a type."""
        kind, _, rest = type_.partition(" ")
        if kind == "record":
            for member in self.records[rest].members.values():
                yield from self.parts(member.type, offset + member.offset)
        elif kind.startswith("["):
            size = self.size(rest)
            yield from (part for i in range(int(kind[1:-1])) for part in self.parts(rest, offset + i * size))
        else:
            yield offset, size_of(type_)

    def size(self, type_: str) -> int:
        """Return the bytes of a type."""
        kind, _, rest = type_.partition(" ")
        if kind == "record":
            return self.records[rest].size
        return int(kind[1:-1]) * self.size(rest) if kind.startswith("[") else size_of(type_)


def size_of(type_: str) -> int:
    """Return the bytes of a type that is neither structure nor array, or else 0."""
    kind = type_.split()[0]
    if kind == "ptr":
        return 8
    if kind == "enum":
        return 4
    return int(kind[1:]) if kind[1:].isdigit() else 0
