"""Facts of other files about enumerations whose numbers differ in HIP: aliases, variables, functions, members."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from msgspec import Struct

from hipport import lazy_re as re
from hipport.files.facts import Fact, Kind, facts_of
from hipport.translate.dataflow.function import text_of
from hipport.translate.syntax.unit import Node, Unit

TYPE, ENUMERATOR, VARIABLE, MEMBER = "type", "enumerator", "variable", "member"
CLASSES = frozenset({"class_specifier", "struct_specifier", "union_specifier"})
_QUALIFIED = re.compile(r"\b(\w+)\s*(?:<[^<>]*>\s*)?::\s*~?\w+\s*\Z")


class Told(Struct, frozen=True, dict=True):
    """The facts of other files about names. A name with two meanings has none."""

    found: tuple[Fact, ...] = ()

    @classmethod
    def among(cls, foreign: Iterable[str]) -> Told:
        return cls(tuple(facts_of(foreign, Kind.NUMBERED)))

    def meanings(self, kind: str) -> dict[str, str]:
        """Return the types, or enumerators, that names of a kind stand for."""
        found: dict[str, set[str]] = {}
        for name, told, meant, _ in self._rows:
            if told == kind:
                found.setdefault(name, set()).add(meant)
        return {name: next(iter(meant)) for name, meant in found.items() if len(meant) == 1}

    @cached_property
    def variables(self) -> dict[str, str]:
        """The types of variables and functions outside of classes."""
        return self.meanings(VARIABLE)

    @cached_property
    def members(self) -> dict[str, dict[str, str]]:
        """The types of members, by name and class."""
        found: dict[str, dict[str, str]] = {}
        for name, kind, meant, class_ in self._rows:
            if kind == MEMBER:
                found.setdefault(name, {})[class_] = meant
        return found

    @cached_property
    def _rows(self) -> list[tuple[str, str, str, str]]:
        parts = ((fact.subject, *fact.value.split(".")) for fact in self.found)
        return [(name, kind, meant, rest[0] if rest else "") for name, kind, meant, *rest in parts]


def classes_around(unit: Unit, node: Node) -> Iterator[str]:
    """Yield the classes whose members are visible at a node: those around it, of its function, and their bases."""
    above = unit.parent(node)
    while above is not None:
        if above.type in CLASSES:
            yield from re.findall(r"\w+", text_of(above).partition("{")[0])
        elif above.type == "function_definition":
            head = text_of(above.child_by_field_name("declarator")).partition("(")[0]
            yield from (match[1] for match in _QUALIFIED.finditer(head))
        above = unit.parent(above)
