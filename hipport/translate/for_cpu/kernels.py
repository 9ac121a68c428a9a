"""Find the kernels in a source file."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from hipport.source import Span
from hipport.translate.syntax.brackets import skip_blanks
from hipport.translate.syntax.unit import Node, Unit

WORD = "__global__"


class Kernel(Struct, frozen=True):
    """A `__global__` function: its name, its body if this unit defines it, and whether it is a template."""

    name: str
    body: Node | None
    template: bool


def kernels(unit: Unit) -> Iterator[Kernel]:
    """Yield the kernels that a unit declares or defines, skipping declarations that cannot be parsed."""
    for word in unit.shadow.device_words:
        if unit.code[word.start : word.end] != WORD:
            continue
        function = _function(unit, word.end)
        name = _name(function) if function is not None else None
        if function is not None and name is not None:
            yield Kernel(name, function.child_by_field_name("body"), _is_template(function))


def _function(unit: Unit, after: int) -> Node | None:
    start = skip_blanks(unit.shadow.text, after)
    node = unit.node_at(Span(start, start + 1))
    while node is not None and node.type not in ("function_definition", "declaration"):
        node = node.parent
    return node


def _name(function: Node) -> str | None:
    node: Node | None = function.child_by_field_name("declarator")
    while node is not None and node.type != "identifier":
        node = node.child_by_field_name("declarator")
    return node.text.decode() if node is not None and node.text is not None else None


def _is_template(function: Node) -> bool:
    return function.parent is not None and function.parent.type == "template_declaration"
