"""A header's facts about enumerations whose numbers differ in HIP."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.files.facts import Fact, Kind
from hipport.source import Span
from hipport.translate.dataflow.function import text_of
from hipport.translate.passes.enum_told import CLASSES, ENUMERATOR, MEMBER, TYPE, VARIABLE
from hipport.translate.passes.enum_values import Values
from hipport.translate.passes.enumerators import ALIASES, TYPES
from hipport.translate.syntax.unit import Unit


def facts(unit: Unit, own: frozenset[str]) -> Iterator[str]:
    """Yield what a header says about such types; `own` are names that the project defines itself."""
    values, end = Values(unit, own), len(unit.code)
    known = ((TYPE, values.types, values.type_at), (ENUMERATOR, values.enumerators, values.enumerator_at))
    for kind, names, meaning in known:
        for name in names:
            meant = meaning(name, end)
            if meant and meant not in (name, ALIASES.get(name)):
                yield _fact(name, kind, meant)
    for name in values.variables:
        for each in values.declarations(name):
            if each.kind not in TYPES:
                continue
            if each.member and (class_ := _class_at(unit, each.scope)):
                yield _fact(name, MEMBER, each.kind, class_)
            elif each.scope == Span(0, end):
                yield _fact(name, VARIABLE, each.kind)


def _fact(name: str, *value: str) -> str:
    return str(Fact(Kind.NUMBERED, name, ".".join(value)))


def _class_at(unit: Unit, body: Span) -> str:
    """Return the name of the class that has a body."""
    node = unit.node_at(Span(body.start, body.start + 1))
    while node is not None and node.type not in CLASSES:
        node = unit.parent(node)
    return text_of(node.child_by_field_name("name")).partition("<")[0].strip() if node is not None else ""
