"""Containers of the C++ library without their headers, `std::vector<int>`: Visual C++'s headers for C bring them along.

A unit includes the header where neither the unit nor any file that it includes does, or has a header that may bring it.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.files.facts import Fact, Kind, question
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.includes import includes
from hipport.translate.work import Work

_BRINGING = {
    **{name: {name} for name in ("vector", "list", "deque", "map", "set", "unordered_map", "unordered_set")},
    "stack": {"stack", "deque"},
    "queue": {"queue", "deque", "vector"},
    "functional": {"vector", "unordered_map"},
    "random": {"vector"},
}
"""The containers that headers of the C++ library bring, in libstdc++ 12 with C++17; later releases bring less."""
CONTAINERS = frozenset().union(*_BRINGING.values())
_OTHERS = frozenset(
    """string string_view iostream istream ostream sstream fstream ios iomanip utility tuple array complex limits
    type_traits initializer_list iterator numeric exception stdexcept new typeinfo ratio chrono memory thread mutex
    atomic algorithm optional variant bitset condition_variable future""".split()  # noqa: SIM905
)
"""Headers of the C++ library that bring none."""
_OF_C = re.compile(r"(?:sys/|linux/|c(?:assert|ctype|errno|float|limits|math|std\w+|string|time)\Z)|[a-z]+\.h\Z")
"""Matches headers of the C library and of systems."""
_OF_GPUS = ("thrust/", "cub/")
_NAMED = re.compile(rf"\bstd\s*::\s*({'|'.join(sorted(CONTAINERS))})\s*<")
_UNITS = (".cu",)
_ANY = "std"
"""The subject of a fact about a header that may bring any of them."""


def needed(work: Work) -> dict[str, int]:
    """Return the headers of the containers that a unit and what it includes name, with a place behind them."""
    unit = work.unit
    if not unit.source.name.endswith(_UNITS) or is_hip(work):
        return {}
    present = _brought(work) | {fact.subject for fact in work.facts(Kind.HAS)}
    named = {*_named(work), *(fact.subject for fact in work.facts(Kind.LACKS))}
    own = [line.directive.span.start for line in includes(unit) if line.quoted]
    place = min(own, default=len(unit.code))
    return dict.fromkeys(sorted(named - present), place) if _ANY not in present else {}


def facts(work: Work) -> Iterator[str]:
    """Yield which containers the file's headers bring, and which it names without a header."""
    brought = _brought(work)
    yield from (str(Fact(Kind.HAS, name)) for name in brought)
    if _ANY not in brought:
        yield from (str(Fact(Kind.LACKS, name)) for name in _named(work) - brought)


def asked(work: Work) -> Iterator[str]:
    """Yield what a unit asks about the files that it includes."""
    if work.unit.source.name.endswith(_UNITS) and _ANY not in _brought(work):
        yield from (question(kind, name) for kind in (Kind.HAS, Kind.LACKS) for name in sorted(CONTAINERS))
        yield question(Kind.HAS, _ANY)


def _named(work: Work) -> set[str]:
    mentioned = "std" in work.unit.words and not work.unit.words.isdisjoint(CONTAINERS)
    return {*_NAMED.findall(work.unit.code)} if mentioned else set()


def _brought(work: Work) -> set[str]:
    """Return the containers that the file's headers bring, with `std` for headers that may bring any.

    Headers of CUDA bring none, nor do those of the C library; those of the project tell what they bring.
    """
    found: set[str] = set()
    for each in includes(work.unit):
        of_cuda = each.operand in work.context.tables.headers and not each.operand.startswith(_OF_GPUS)
        if of_cuda or each.operand in _OTHERS or each.operand.startswith("hip/") or _OF_C.match(each.operand):
            continue
        if not each.quoted:
            found |= _BRINGING.get(each.operand, {_ANY})
    return found
