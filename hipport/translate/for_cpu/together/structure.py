"""The statements of a kernel, in text order: barriers, what surrounds them, and what threads do between them."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto

from msgspec import Struct

from hipport.translate.for_cpu.together.syntax import Refused, descend, has_barrier, is_barrier
from hipport.translate.syntax.unit import Node

_NEUTRAL = ("type_definition", "alias_declaration", "static_assert_declaration", "using_declaration")
_LOOPS = ("for_statement", "while_statement", "do_statement", "for_range_loop")
_HEADERS = ("initializer", "condition", "update")


class Kind(Enum):
    """The kind of a statement. `BLOCK` statements declare types or shared memory; `THREADS` contain no barrier."""

    BARRIER = auto()
    HEADER = auto()
    BLOCK = auto()
    DECLARATION = auto()
    THREADS = auto()
    END = auto()


class Statement(Struct, frozen=True):
    """A statement, or a part of the header of one with a barrier inside.

    `scope` has the starts of the compound statements around it, `after` is the end of what is in front of it.
    """

    kind: Kind
    node: Node
    scope: tuple[int, ...]
    after: int


def statements(body: Node, shared: frozenset[int], split: frozenset[int]) -> list[Statement]:
    """Return the statements of a kernel. `shared` has the starts of the declarations of shared memory.

    `split` has the starts of loops that are treated as if there was a barrier inside. Raises `Refused` if a barrier is
    where it cannot be found.
    """
    return list(_of_compound(body, (body.start_byte,), _Starts(shared, split)))


class _Starts(Struct, frozen=True):
    """Declarations of shared memory, by their first byte, and loops to split."""

    shared: frozenset[int]
    split: frozenset[int]

    def is_split(self, node: Node) -> bool:
        return node.start_byte in self.split and node.type == "for_statement"


def _of_compound(compound: Node, scope: tuple[int, ...], starts: _Starts) -> Iterator[Statement]:
    after = compound.start_byte + 1
    for node in compound.named_children:
        if is_barrier(node):
            yield Statement(Kind.BARRIER, node, scope, after)
        elif has_barrier(node) or starts.is_split(node):
            yield from _of_control(node, (*scope, node.start_byte), after, starts)
        else:
            yield Statement(_kind(node, starts.shared), node, scope, after)
        after = node.end_byte
    yield Statement(Kind.END, compound, scope, after)


def _of_control(node: Node, scope: tuple[int, ...], after: int, starts: _Starts) -> Iterator[Statement]:
    if node.type == "compound_statement":
        yield from _of_compound(node, scope, starts)
        return
    if node.type not in ("for_statement", "while_statement", "do_statement", "if_statement"):
        raise Refused
    for part in _HEADERS:
        header = node.child_by_field_name(part)
        if header is not None:
            yield Statement(Kind.HEADER, header, scope, after)
    for part in ("body", "consequence", "alternative"):
        inner = node.child_by_field_name(part)
        if inner is not None and inner.type == "else_clause":
            inner = inner.named_children[0]
        if inner is not None:
            yield from _of_branch(inner, scope, starts)


def _of_branch(node: Node, scope: tuple[int, ...], starts: _Starts) -> Iterator[Statement]:
    if node.type == "compound_statement":
        yield from _of_compound(node, (*scope, node.start_byte), starts)
    elif is_barrier(node):
        yield Statement(Kind.BARRIER, node, scope, node.start_byte)
    elif (node.type == "if_statement" and has_barrier(node)) or starts.is_split(node):
        yield from _of_control(node, (*scope, node.start_byte), node.start_byte, starts)
    elif has_barrier(node) or node.type == "declaration":
        raise Refused
    else:
        before = node.prev_sibling.end_byte if node.prev_sibling is not None else node.start_byte
        yield Statement(_kind(node, starts.shared), node, (*scope, node.start_byte), before)


def _kind(node: Node, shared: frozenset[int]) -> Kind:
    if node.type in _NEUTRAL or node.start_byte in shared:
        return Kind.BLOCK
    if node.type == "declaration":
        return Kind.DECLARATION
    _check_jumps(node)
    return Kind.THREADS


def _check_jumps(statement: Node) -> None:
    """Raise `Refused` if a statement jumps out of a loop around it."""
    for jump in descend(statement):
        if jump.type in ("break_statement", "continue_statement") and not _is_inside(jump, statement):
            raise Refused
    if statement.type in ("break_statement", "continue_statement"):
        raise Refused


def _is_inside(jump: Node, statement: Node) -> bool:
    targets = (*_LOOPS, "switch_statement") if jump.type == "break_statement" else _LOOPS
    node: Node | None = jump
    while node is not None:
        if node.type in targets:
            return True
        if node.id == statement.id:
            return False
        node = node.parent
    return False
