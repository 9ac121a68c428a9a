"""Member accesses and the types of the variables they go through, as far as the file itself declares them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from msgspec import Struct

from hipport.source import Span
from hipport.translate.syntax.brackets import skip_blanks_back
from hipport.translate.syntax.unit import Node, Unit

_DECLARATIONS = frozenset(
    {"declaration", "parameter_declaration", "optional_parameter_declaration", "field_declaration", "for_range_loop"}
)
_THROUGH = frozenset({"subscript_expression", "pointer_expression", "parenthesized_expression", "field_expression"})
_NAMES = frozenset({"identifier", "field_identifier"})


class Access(Struct, frozen=True):
    """`object.member` or `object->member`: the variable, the member and the range of the member's name."""

    variable: str
    member: str
    span: Span


def accesses(unit: Unit, members: frozenset[str]) -> Iterator[Access]:
    """Yield accesses to members of these names through a variable, an element of one, or a member of another."""
    for member, offset in unit.occurrences(members):
        span = Span(offset, offset + len(member))
        if unit.code[skip_blanks_back(unit.code, offset) - 1] not in ".>":
            continue
        node = unit.node_at(span)
        access = unit.parent(node) if node is not None else None
        if access is not None and access.type == "field_expression" and access.child_by_field_name("field") == node:
            variable = _variable(access.child_by_field_name("argument"))
            if variable is not None:
                yield Access(variable, member, span)


def _variable(node: Node | None) -> str | None:
    """Return the last name of an object expression: `p` of `p`, `p[0]`, `(*p)` and `context.p`."""
    while node is not None and node.type in _THROUGH:
        if node.type == "field_expression":
            node = node.child_by_field_name("field")
        else:
            node = node.child_by_field_name("argument") or node.named_child(0)
    return _text(node) if node is not None and node.type in _NAMES else None


def variables(unit: Unit, types: frozenset[str]) -> dict[str, frozenset[str]]:
    """Map names that the file declares with one of the types, or as a container or pointer of it, to those types."""
    declared: dict[str, set[str]] = defaultdict(set)
    done: set[tuple[str, int]] = set()
    for name, offset in unit.occurrences(types):
        node = unit.node_at(Span(offset, offset + len(name)))
        while node is not None and node.type not in _DECLARATIONS:
            node = unit.parent(node)
        if node is not None and (name, node.id) not in done:
            done.add((name, node.id))
            for declarator in node.children_by_field_name("declarator"):
                variable = _declared_name(declarator)
                if variable is not None:
                    declared[variable].add(name)
    return {variable: frozenset(owners) for variable, owners in declared.items()}


def _declared_name(node: Node | None) -> str | None:
    while node is not None and node.type not in _NAMES:
        node = node.child_by_field_name("declarator") or (
            node.named_child(0) if node.type == "reference_declarator" else None
        )
    return _text(node) if node is not None else None


def _text(node: Node) -> str:
    return node.text.decode() if node.text is not None else ""
