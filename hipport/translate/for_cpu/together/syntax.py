"""Syntax tree helpers for the analysis of kernels."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from hipport.translate.syntax.unit import Node

BARRIER = "__syncthreads"


class Refused(Exception):
    """The kernel is one that the analysis does not understand: it stays as it is."""


class Local(Struct, frozen=True):
    """A variable that a declaration declares; `dimensions` are those of an array, as text."""

    name: str
    node: Node
    value: Node | None
    stars: int = 0
    dimensions: str = ""


class Declaration(Struct, frozen=True):
    """A declaration of local variables; `type` is None for `auto`."""

    node: Node
    type: str | None
    is_const: bool
    locals: tuple[Local, ...]

    @property
    def names(self) -> frozenset[str]:
        return frozenset(local.name for local in self.locals)


def descend(node: Node) -> Iterator[Node]:
    """Yield all nodes below a node, in text order."""
    for child in node.children:
        yield child
        yield from descend(child)


def text_of(node: Node | None) -> str:
    return node.text.decode("ascii") if node is not None and node.text is not None else ""


def identifiers(node: Node) -> frozenset[str]:
    """Return the names in a node, members and types excluded."""
    own = {text_of(node)} if node.type == "identifier" else set()
    return frozenset(own | {text_of(one) for one in descend(node) if one.type == "identifier"})


def is_barrier(statement: Node) -> bool:
    """Return whether a statement is `__syncthreads();`."""
    call = statement.named_children[0] if statement.named_child_count == 1 else None
    if statement.type != "expression_statement" or call is None or call.type != "call_expression":
        return False
    arguments = call.child_by_field_name("arguments")
    callee = call.child_by_field_name("function")
    return text_of(callee) == BARRIER and arguments is not None and arguments.named_child_count == 0


def has_barrier(node: Node) -> bool:
    return any(one.type == "identifier" and text_of(one) == BARRIER for one in descend(node))


def declaration_of(node: Node) -> Declaration:
    """Read a declaration. Raises `Refused` for references, bindings, storage classes and declarators of functions."""
    words = {text_of(child) for child in node.children if child.type in ("type_qualifier", "storage_class_specifier")}
    if words - {"const", "constexpr"}:
        raise Refused
    named = node.child_by_field_name("type")
    if named is None:
        raise Refused
    made = None if named.type == "placeholder_type_specifier" else text_of(named)
    declarators = node.children_by_field_name("declarator")
    return Declaration(node, made, bool(words), tuple(_local(one) for one in declarators))


def _local(node: Node) -> Local:
    value, whole = None, node
    if node.type == "init_declarator":
        value, inner = node.child_by_field_name("value"), node.child_by_field_name("declarator")
        if value is None or inner is None or value.type == "argument_list":
            raise Refused
        node = inner
    stars, dimensions = 0, ""
    while node.type in ("pointer_declarator", "array_declarator"):
        inner = node.child_by_field_name("declarator")
        if inner is None or (node.type == "pointer_declarator" and dimensions):
            raise Refused
        if node.type == "pointer_declarator":
            stars += 1
        else:
            dimensions = f"[{text_of(node.child_by_field_name('size'))}]{dimensions}"
        node = inner
    if node.type != "identifier":
        raise Refused
    return Local(text_of(node), whole, value, stars, dimensions)
