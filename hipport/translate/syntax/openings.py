"""Where names of namespaces and classes become visible elsewhere: `using namespace`, derivation, `inline namespace`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Set

from msgspec import Struct

from hipport import lazy_re as re
from hipport.files.facts import Fact, Kind, facts_of
from hipport.source import Span
from hipport.translate.syntax.named_scopes import scope_name
from hipport.translate.syntax.unit import Unit


class Opening(Struct, frozen=True):
    """A scope whose names, or only `name`, are visible in the scope `inside`; empty for the scope of the file.

    `behind`: only behind a directive in the file itself.
    """

    scope: str
    inside: str
    name: str = ""
    behind: bool = False


_PATH = r"(?:::\s*)?(?P<path>\w+(?:\s*::\s*\w+)*)"
_USING = re.compile(rf"\busing\s+(?P<directive>namespace\s+)?{_PATH}\s*;")
_ALIAS = re.compile(rf"\bnamespace\s+(?P<alias>\w+)\s*=\s*{_PATH}\s*;")
_INLINE = re.compile(r"\binline\s+namespace\s+(?P<name>\w+)\s*\{")
_DERIVED = {
    word: re.compile(
        rf"\b{word}\s+(?:\w+\s*\([^()]*\)\s*)?(?P<name>\w+)\s*(?:final\s*)?:(?!:)(?P<bases>[^:;{{}}()]*(?:::[^:;{{}}()]*)*)\{{"
    )
    for word in ("class", "struct")
}
_BASE = re.compile(r"(?P<path>(?:\w+\s*::\s*)*)(?P<name>\w+)\s*(?:<[^<>]*>\s*)?(?:,|\Z)")
_LIBRARIES = frozenset({"std", "thrust", "cub", "cooperative_groups"})


def openings(unit: Unit, names: Collection[str]) -> Iterator[Opening]:
    """Yield the openings of a file, by using-declarations those for some `names` only."""
    if "using" in unit.words:
        yield from _by_using(unit, names)
    for match in _ALIAS.finditer(unit.code) if "namespace" in unit.words else ():
        yield Opening(_words(match["path"])[-1], match["alias"])
    for match in _INLINE.finditer(unit.code) if "inline" in unit.words else ():
        # The keyword is a part of the namespace itself.
        inside = scope_at(unit, match.start() - 1)
        if inside is not None:
            yield Opening(match["name"], inside)
    for word, pattern in _DERIVED.items():
        for match in pattern.finditer(unit.code) if word in unit.words else ():
            for base in _BASE.finditer(match["bases"]):
                if _LIBRARIES.isdisjoint(_words(base["path"])):
                    yield Opening(base["name"], match["name"])


def _by_using(unit: Unit, names: Collection[str]) -> Iterator[Opening]:
    for match in _USING.finditer(unit.code):
        *outer, last = _words(match["path"])
        is_name = match["directive"] is None
        if last in _LIBRARIES or (is_name and (last not in names or not outer)):
            continue
        inside = scope_at(unit, match.start())
        if inside is not None:
            yield Opening(outer[-1] if is_name else last, inside, last if is_name else "", behind=True)


def _words(path: str) -> list[str]:
    return re.findall(r"\w+", path)


def scope_at(unit: Unit, offset: int) -> str | None:
    """Return the name of the innermost namespace or class around a place, empty at file scope; None in functions."""
    node = unit.node_at(Span(offset, offset + 1)) if offset >= 0 else None
    while node is not None:
        if node.type in ("compound_statement", "lambda_expression"):
            return None
        if node.type in ("namespace_definition", "class_specifier", "struct_specifier") and (name := scope_name(node)):
            return name
        node = unit.parent(node)
    return ""


def opening_facts(unit: Unit, names: Collection[str]) -> Iterator[str]:
    """Yield the facts about the openings of a file."""
    for each in openings(unit, names):
        value = f"{each.inside}.{each.name}" if each.name else each.inside
        yield str(Fact(Kind.OPENS, each.scope, value))


def told_openings(facts: Iterable[str]) -> Iterator[Opening]:
    """Yield the openings that other files tell."""
    for fact in facts_of(facts, Kind.OPENS):
        inside, _, name = fact.value.partition(".")
        yield Opening(fact.subject, inside, name)


def visible_in(name: str, owners: Set[str], known: Collection[Opening]) -> frozenset[str]:
    """Return the scopes in which a name of the `owners` is visible, these included; empty for the whole file."""
    found = {*owners}
    while True:
        fitting = (each for each in known if each.scope in found and each.name in ("", name))
        fresh = {each.inside for each in fitting if each.inside or not each.behind} - found
        if not fresh:
            return frozenset(found)
        found |= fresh
