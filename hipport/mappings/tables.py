"""The mapping tables as the rest of hipport sees them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from hipport.mappings.choice import Releases
from hipport.mappings.model import Entry, Header, Member


class Headers:
    """CUDA headers by the operand of the `#include`."""

    __slots__ = ("_headers", "_patterns")

    def __init__(self, headers: Mapping[str, Header]) -> None:
        self._headers = headers
        self._patterns = sorted((name for name in headers if name.endswith("*")), key=len, reverse=True)

    def get(self, operand: str) -> Header | None:
        """The entry of `cub/cub.cuh`: its own, or that of the longest pattern (`cub/*`) that matches.

        A `*` in the counterpart of a pattern stands for what the `*` of the pattern matched.
        """
        if operand in self._headers and not operand.endswith("*"):
            return self._headers[operand]
        for pattern in self._patterns:
            if operand.startswith(pattern[:-1]):
                return _matched(self._headers[pattern], operand)
        return None

    def __iter__(self) -> Iterator[str]:
        """The headers and patterns of the tables."""
        return iter(self._headers)

    def __len__(self) -> int:
        return len(self._headers)

    def all(self) -> Mapping[str, Header]:
        """The entries as they stand in the tables, patterns among them."""
        return self._headers


@dataclass(frozen=True, slots=True)
class FreeFunction:
    """`x.name()` becomes `function(x)`, which `header` declares, and `x.name(y)`, with arguments, `function(x, y)`."""

    function: str
    header: str
    has_arguments: bool = False


@dataclass(frozen=True, slots=True)
class Tables:
    """Everything the tables say for one ROCm release and flavour.

    `known` are the CUDA names, `active` those with which something is to be done or said: another spelling,
    changed arguments, a note, a header of hipport's own, no counterpart. `members` has the members of CUDA types
    that need renaming, or have no counterpart, by member name. `hip_names` and `hip_headers` are what HIP, and roc
    libraries, call their own, in any release. `namespaces` are C++ namespaces (`cub`, `nvcuda::wmma`); they are not
    among `names`.
    `own` are names that only overlays have: a project's own, which it defines itself.
    `releases` says what the tables were resolved for. `functions` has member functions that HIP's classes lack and
    that a function of hipport's own stands for, by name.
    """

    names: Mapping[str, Entry]
    known: frozenset[str]
    active: frozenset[str]
    headers: Headers
    members: Mapping[str, tuple[Member, ...]]
    hip_names: frozenset[str]
    hip_headers: frozenset[str]
    namespaces: Mapping[str, Entry]
    own: frozenset[str]
    releases: Releases
    functions: Mapping[str, FreeFunction] = field(default_factory=dict)


def is_active(entry: Entry) -> bool:
    """Whether a translator has anything to do or to say about a name."""
    return entry.hip is None or entry.hip.name != entry.name or bool(entry.args or entry.note or entry.support)


def _matched(header: Header, operand: str) -> Header:
    rest = operand[len(header.name) - 1 :]
    hip, roc = (spelled and spelled.replace("*", rest) for spelled in (header.hip, header.roc))
    return replace(header, name=operand, hip=hip, roc=roc)
