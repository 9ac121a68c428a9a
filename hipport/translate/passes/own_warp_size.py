"""`#define warpSize 32`: a constant with the name of the built-in variable.

HIP's headers declare and use `warpSize`: a macro of that name in front of them breaks them or, worse, changes what
their cooperative groups compute; a constant is a second declaration. The program's constant gets another name. In a
namespace it is renamed, too, since `warpSize` is read as the number of lanes everywhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hipport import lazy_re as re
from hipport.files.facts import Fact, Kind
from hipport.source import Edit, Replace, Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.named_scopes import owner_of, regions
from hipport.translate.work import Work

NAME = "warpSize"
RENAMED = "warp_size_32"
_MEMBER = re.compile(r"(?:\.|->)\s*\Z")
_QUALIFIED = re.compile(r"(?:([A-Za-z_]\w*)\s*)?::\s*\Z")
WORDS = (frozenset({NAME}),)


def run(work: Work) -> Iterator[Edit]:
    """Rename the constant wherever it is meant; one in a namespace is meant inside it, and behind its name."""
    if not is_renamed(work):
        return
    owners = _owners(work)
    inside = [region for owner in owners for region in regions(work.unit, owner, NAME)]
    for _, offset in work.unit.occurrences(frozenset({NAME})):
        function = work.flow.function_at(offset)
        own = function is not None and function.variable(NAME, offset) is not None
        if not own and _is_meant(work.unit.code, offset, owners, inside):
            yield Replace(offset, offset + len(NAME), RENAMED)


def facts(work: Work) -> Iterator[str]:
    """Yield the namespace in which the file defines the constant."""
    if NAME in work.unit.words and work.flow.constants.definition(NAME) is not None and is_renamed(work):
        yield from (str(Fact(Kind.SCOPED, NAME, owner)) for owner in _owners(work))


def _is_meant(code: str, offset: int, owners: frozenset[str], inside: Iterable[Span]) -> bool:
    if _MEMBER.search(code, max(0, offset - 16), offset):
        return False
    qualified = _QUALIFIED.search(code, max(0, offset - 64), offset)
    if qualified is not None:
        return qualified[1] in owners
    return not owners or any(region.start <= offset < region.end for region in inside)


def _owners(work: Work) -> frozenset[str]:
    """Return the namespaces in which the constant is defined: here, or in an included file; empty at file scope."""
    place = work.flow.constants.definition(NAME)
    if place is None:
        return frozenset(fact.value for fact in work.facts(Kind.SCOPED) if fact.subject == NAME)
    owner = owner_of(work.unit, work.unit.node_at(place)) if work.unit.directive_at(place.start) is None else ""
    return frozenset({owner}) if owner else frozenset()


def is_renamed(work: Work) -> bool:
    """Return whether the file, or one that it includes, defines `warpSize` as 32, outside of functions and classes."""
    if work.flow.constants.value(NAME) != 32 or is_hip(work):
        return False
    place = work.flow.constants.definition(NAME)
    return place is None or (work.flow.function_at(place.start) is None and not _is_member(work, place))


def _is_member(work: Work, place: Span) -> bool:
    """Return whether a definition is in a class, whose members do not conflict with HIP's variable."""
    node = work.unit.node_at(place) if work.unit.directive_at(place.start) is None else None
    while node is not None and node.type not in ("namespace_definition", "field_declaration_list"):
        node = work.unit.parent(node)
    return node is not None and node.type == "field_declaration_list"
