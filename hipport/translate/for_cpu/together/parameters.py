"""The parameters of a kernel."""

from __future__ import annotations

from msgspec import Struct

from hipport.translate.for_cpu.together.syntax import Refused, text_of
from hipport.translate.syntax.unit import Node


class Parameter(Struct, frozen=True):
    name: str
    is_pointer: bool


def parameters_of(body: Node) -> tuple[Parameter, ...]:
    """Return the named parameters of the function with this body. Raises `Refused` for references and packs."""
    node = body.parent.child_by_field_name("declarator") if body.parent is not None else None
    while node is not None and node.type != "function_declarator":
        node = node.child_by_field_name("declarator")
    listed = node.child_by_field_name("parameters") if node is not None else None
    if listed is None:
        raise Refused
    if any(one.type == "variadic_parameter_declaration" for one in listed.named_children):
        raise Refused
    found = (one.child_by_field_name("declarator") for one in listed.named_children)
    return tuple(_parameter(one) for one in found if one is not None)


def _parameter(declarator: Node) -> Parameter:
    is_pointer = False
    node: Node | None = declarator
    while node is not None and node.type in ("pointer_declarator", "array_declarator"):
        is_pointer = True
        node = node.child_by_field_name("declarator")
    if node is None or node.type != "identifier":
        raise Refused
    return Parameter(text_of(node), is_pointer)
