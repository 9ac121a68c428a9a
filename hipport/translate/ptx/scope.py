"""Declared types of variables in `asm` statements, from the source around the statement."""

from __future__ import annotations

import bisect
from collections.abc import Iterator

from msgspec import Struct

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.syntax.declarations import specifiers
from hipport.translate.syntax.unit import Node, Unit

_DECLARING = frozenset({"declaration", "parameter_declaration", "optional_parameter_declaration", "field_declaration"})
_FUNCTIONS = frozenset({"function_definition", "lambda_expression"})
_SIDES = frozenset({"__device__", "__global__", "__host__"})
_SPACES = re.compile(r"\s+")


class Declared(Struct, frozen=True):
    """A variable's type without `const`, `*` or `&`, and what its declarator adds; `levels` counts each `*`."""

    type: str
    levels: int
    reference: bool
    array: bool

    @property
    def pointer(self) -> bool:
        return self.levels > 0


def declared(unit: Unit, name: Span) -> Declared | None:
    """Return the nearest declaration of a name before its use, from the enclosing blocks and the parameters."""
    word = unit.code[name.start : name.end]
    node = unit.node_at(name)
    while node is not None:
        node = unit.whole_expression(node)
        for before in _earlier(unit, node, word):
            found = _in_declaration(unit, before, word)
            if found is not None:
                return found
        node = unit.parent(node) if node.type != "function_definition" else None
    return None


def in_kernel(unit: Unit, offset: int) -> bool:
    """Return whether an offset is in the body of a `__global__` function itself."""
    node = unit.node_at(Span(offset, offset + 1))
    while node is not None and node.type != "function_definition":
        if node.type == "lambda_expression":
            return False
        node = unit.parent(node)
    body = node.child_by_field_name("body") if node is not None else None
    if node is None or body is None:
        return False
    return "__global__" in specifiers(unit, node.start_byte, body.start_byte)


def sides_of_function(unit: Unit, offset: int) -> frozenset[str]:
    """Return the words such as `__device__` of the function or lambda that decides on which side an offset runs."""
    node: Node | None = unit.node_at(Span(offset, offset + 1))
    while node is not None:
        body = node.child_by_field_name("body") if node.type in _FUNCTIONS else None
        if body is not None:
            words = specifiers(unit, node.start_byte, body.start_byte) & _SIDES
            if words or node.type == "function_definition":
                return words
        node = unit.parent(node)
    return frozenset()


def _earlier(unit: Unit, node: Node, word: str) -> Iterator[Node]:
    """Yield declarations that contain a word before a node in the same block, and its function's parameters."""
    parent = unit.parent(node)
    with_word = unit.below(parent).declaring.get(word.encode("ascii"), []) if parent is not None else []
    for sibling in reversed(
        with_word[: bisect.bisect_left(with_word, node.start_byte, key=lambda one: one.start_byte)]
    ):
        if sibling.type in _DECLARING:
            yield sibling
        elif sibling.type.endswith("declarator"):
            yield from _parameters(sibling)


def _parameters(declarator: Node) -> Iterator[Node]:
    inner: Node | None = declarator
    while inner is not None and not inner.type.endswith("function_declarator"):
        inner = inner.child_by_field_name("declarator") or next(iter(inner.named_children), None)
    parameters = inner.child_by_field_name("parameters") if inner is not None else None
    if parameters is not None:
        yield from (child for child in parameters.named_children if child.type in _DECLARING)


def _in_declaration(unit: Unit, declaration: Node, word: str) -> Declared | None:
    kind = declaration.child_by_field_name("type")
    if kind is None:
        return None
    for declarator in declaration.children_by_field_name("declarator"):
        wraps = _path_to(unit, declarator, word)
        if wraps is not None:
            text = _SPACES.sub(" ", unit.code[kind.start_byte : kind.end_byte])
            return Declared(
                text,
                wraps.count("pointer_declarator"),
                "reference_declarator" in wraps,
                "array_declarator" in wraps,
            )
    return None


def _path_to(unit: Unit, declarator: Node, word: str) -> list[str] | None:
    """Return the kinds of declarators around the declared name, if that name is `word`."""
    kinds: list[str] = []
    node: Node | None = declarator
    while node is not None and node.type not in ("identifier", "field_identifier"):
        if not node.type.endswith("declarator") or node.type == "function_declarator":
            return None
        kinds.append(node.type)
        node = node.child_by_field_name("declarator") or next(
            (child for child in node.named_children if child.type == "identifier" or child.type.endswith("declarator")),
            None,
        )
    return kinds if node is not None and unit.code[node.start_byte : node.end_byte] == word else None
