"""The resolved mapping tables, as the rest of hipport uses them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cached_property

from msgspec import Struct, field
from msgspec.structs import replace

from hipport.mappings.choice import Releases
from hipport.mappings.entry import Entry, Header, Member

PROVIDED = "support/compat.yaml"
"""The file, in the folder of the tables, that says what hipport's own headers provide."""


class Headers:
    """CUDA headers by the operand of the `#include`."""

    __slots__ = ("_found", "_headers", "_patterns")

    def __init__(self, headers: Mapping[str, Header]) -> None:
        self._headers = headers
        self._patterns = sorted((name for name in headers if name.endswith("*")), key=len, reverse=True)
        self._found: dict[str, Header | None] = {}

    def get(self, operand: str) -> Header | None:
        """Return the entry of a header (`cub/cub.cuh`): its own, or that of the longest matching pattern (`cub/*`).

        A `*` in the counterpart of a pattern stands for what the `*` of the pattern matched.
        """
        if operand not in self._found:
            self._found[operand] = self._find(operand)
        return self._found[operand]

    def _find(self, operand: str) -> Header | None:
        if operand in self._headers and not operand.endswith("*"):
            return self._headers[operand]
        for pattern in self._patterns:
            if operand.startswith(pattern[:-1]):
                return _matched(self._headers[pattern], operand)
        return None

    def __iter__(self) -> Iterator[str]:
        return iter(self._headers)

    def __len__(self) -> int:
        return len(self._headers)

    def all(self) -> Mapping[str, Header]:
        """Return the entries as in the tables, including patterns."""
        return self._headers


class FreeFunction(Struct, frozen=True):
    """`x.name()` becomes `function(x)`, declared by `header`; `x.name(y)`, with arguments, becomes `function(x, y)`."""

    function: str
    header: str
    has_arguments: bool = False


class Tables(Struct, frozen=True, dict=True):
    """The tables for one ROCm release and flavor.

    `known` are the CUDA names; `active` those that need a change or a diagnostic: another spelling, changed arguments,
    a note, a hipport header, no counterpart. `members` are the members of CUDA types that need renaming or have no
    counterpart, by member name. `hip_names` and `hip_headers` are the own names and headers of HIP and the roc
    libraries, in any release. `namespaces` are C++ namespaces (`cub`, `nvcuda::wmma`), which are not among `names`.
    `own` are names that only overlays have: a project's own, which it defines itself. `releases` says what the tables
    were resolved for. `functions` are member functions that HIP's classes lack and that a hipport function replaces, by
    name. `in_c` are the hipport headers that C sources can include, `c_includes` the CUDA headers that one of them
    replaces there. `scopes` are the names that the tables list of each C++ namespace.
    """

    names: Mapping[str, Entry]
    known: Set[str]
    active: Set[str]
    headers: Headers
    members: Mapping[str, tuple[Member, ...]]
    hip_names: Set[str]
    hip_headers: frozenset[str]
    namespaces: Mapping[str, Entry]
    own: frozenset[str]
    releases: Releases
    functions: Mapping[str, FreeFunction] = field(default_factory=dict)
    in_c: frozenset[str] = frozenset()
    c_includes: Mapping[str, str] = field(default_factory=dict)
    scopes: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def containing(self, part: str) -> Iterator[str]:
        """Yield the CUDA names that have a text in them, which is not empty."""
        end = 0
        while (at := self._lines.find(part, end)) >= 0:
            end = self._lines.index("\n", at)
            yield self._lines[self._lines.rindex("\n", 0, at) + 1 : end]

    @cached_property
    def owners(self) -> frozenset[str]:
        """The types whose members are in the tables."""
        return frozenset(member.owner for members in self.members.values() for member in members)

    @cached_property
    def _lines(self) -> str:
        """The CUDA names, each between two line ends."""
        return "\n".join(("", *self.known, ""))


def scopes_of(names: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return the names in each C++ namespace, of names such as `cub::DeviceFor`."""
    found: dict[str, set[str]] = {}
    for full in names:
        scope, _, name = full.rpartition("::")
        if scope:
            found.setdefault(scope, set()).add(name)
    return {scope: frozenset(inside) for scope, inside in found.items()}


def is_active(entry: Entry) -> bool:
    """Return whether a name needs a change or a diagnostic."""
    return entry.hip is None or entry.hip.name != entry.name or bool(entry.args or entry.note or entry.support)


def _matched(header: Header, operand: str) -> Header:
    rest = operand[len(header.name) - 1 :]
    hip, roc = (spelled and spelled.replace("*", rest) for spelled in (header.hip, header.roc))
    return replace(header, name=operand, hip=hip, roc=roc)
