"""Find the places where a kernel changes its variables."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from hipport.translate.for_cpu.together.calls import Calls
from hipport.translate.for_cpu.together.syntax import descend, has_barrier, identifiers, text_of
from hipport.translate.syntax.unit import Node

_SCOPES = ("compound_statement", "for_statement", "if_statement", "while_statement", "for_range_loop")


class Change(Struct, frozen=True):
    """An expression that changes the variable `name`, or that takes its address or binds a reference to it.

    `indexed` says that it does so to an element, which is not the variable itself if that is a pointer.
    """

    name: str
    node: Node
    indexed: bool = False


def changes(body: Node, calls: Calls) -> list[Change]:
    """Return the changes of variables in a kernel, except where an inner scope declares the name again.

    Scopes in which threads wait for each other are not inner ones.
    """
    found = (one for node in descend(body) for one in changed_by(node, calls))
    return [one for one in found if not _is_shadowed(one, body)]


def changed_by(node: Node, calls: Calls) -> Iterator[Change]:
    """Yield the changes that one expression makes, those in its operands excluded."""
    if node.type == "assignment_expression":
        yield from _base(node, node.child_by_field_name("left"))
    elif node.type == "update_expression" or (node.type == "pointer_expression" and text_of(node.children[0]) == "&"):
        yield from _base(node, node.child_by_field_name("argument"))
    elif node.type == "call_expression":
        arguments = node.child_by_field_name("arguments")
        if arguments is not None and calls.by_reference(node):
            for argument in arguments.named_children:
                yield from _base(node, argument)
    elif node.type == "init_declarator" and any(child.type == "reference_declarator" for child in node.children):
        value = node.child_by_field_name("value")
        yield from (Change(name, node) for name in (identifiers(value) if value is not None else ()))


def _base(change: Node, node: Node | None) -> Iterator[Change]:
    """Yield the variable that an expression is a part of."""
    indexed = False
    while node is not None and node.type in ("parenthesized_expression", "field_expression", "subscript_expression"):
        if node.type == "field_expression" and text_of(node.child_by_field_name("operator")) == "->":
            return
        indexed = indexed or node.type == "subscript_expression"
        node = node.child_by_field_name("argument") or next(iter(node.named_children), None)
    if node is not None and node.type == "identifier":
        yield Change(text_of(node), change, indexed)
    elif node is not None and node.type in ("conditional_expression", "assignment_expression", "comma_expression"):
        yield from (Change(name, change) for name in identifiers(node))


def _is_shadowed(change: Change, body: Node) -> bool:
    node = change.node.parent
    while node is not None and node.id != body.id:
        declares = node.type in _SCOPES and any(change.name in _declared(child) for child in node.children)
        if declares and not has_barrier(node):
            return True
        node = node.parent
    return False


def _declared(node: Node) -> frozenset[str]:
    if node.type != "declaration":
        return frozenset()
    names = set()
    for declarator in node.children_by_field_name("declarator"):
        inner: Node | None = declarator
        while inner is not None and inner.type != "identifier":
            inner = inner.child_by_field_name("declarator")
        names.add(text_of(inner))
    return frozenset(names)
