"""Barriers for exchanges within a warp: where `__syncwarp()` can be inserted so that all lanes of a warp execute it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hipport.source import Edit, Replace
from hipport.translate.dataflow.function import Function, text_of, walk
from hipport.translate.dataflow.index_forms import subscripts
from hipport.translate.hazards.exchanges import Exchange
from hipport.translate.hazards.uniform import Uniform
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

_BARRIER = "__syncwarp();"
_LOOPS = frozenset({"for_statement", "while_statement", "do_statement", "for_range_loop"})


def barriers(work: Work, function: Function, exchanges: Sequence[Exchange]) -> tuple[Edit, ...]:
    """Return the edits that put barriers between the writes and reads of one array; none if a place is divergent."""
    uniform = Uniform(work, function)
    edits: dict[int, list[Edit]] = {}
    for exchange in exchanges:
        statement = _statement(work, exchange.read.node)
        place = _place(work, function, uniform, statement) if statement is not None else None
        if statement is None or place is None or _holds_both(place, exchange):
            return ()
        split = list(_split(statement, exchange)) if place == statement else []
        if not split:
            place = _before_loops(work, function, place, exchange)
        again = not split and place.type != "return_statement" and _is_written_later(work, function, place, exchange)
        before, behind = _around(work, place, again=again)
        edits[place.start_byte] = [before, *split, *behind]
    return tuple(edit for at in sorted(edits) for edit in edits[at])


def _statement(work: Work, node: Node) -> Node | None:
    while node.type not in ("expression_statement", "declaration", "return_statement"):
        parent = work.unit.parent(node)
        if parent is None or parent.type in ("compound_statement", "condition_clause") or parent.type in _LOOPS:
            return None
        node = parent
    return node


def _place(work: Work, function: Function, uniform: Uniform, statement: Node) -> Node | None:
    """Return the outermost statement around a read that only some lanes of a warp execute, or the statement itself."""
    place, node = statement, work.unit.parent(statement)
    while node is not None and node != function.body:
        condition = node.child_by_field_name("condition")
        if node.type in ("switch_statement", "lambda_expression", "labeled_statement"):
            return None
        if condition is not None and not uniform.holds(condition):
            place = node
        node = work.unit.parent(node)
    return place


def _holds_both(place: Node, exchange: Exchange) -> bool:
    """Return whether a divergent statement contains both accesses, so that no barrier in front of it separates them."""
    if place.type == "expression_statement":
        return False
    return place.start_byte <= exchange.written.node.start_byte < place.end_byte


def _before_loops(work: Work, function: Function, place: Node, exchange: Exchange) -> Node:
    """Return the outermost loop around a place that does not contain the write: one barrier in front is enough."""
    node = work.unit.parent(place)
    while node is not None and node != function.body:
        if node.type in _LOOPS:
            if _is_written(node, exchange):
                return place
            place = node
        node = work.unit.parent(node)
    return place


def _around(work: Work, place: Node, *, again: bool) -> tuple[Edit, list[Edit]]:
    """Return the edit that puts a barrier in front of a statement, and those behind it.

    `again`: another barrier is needed behind it.
    """
    start, end, parent = place.start_byte, place.end_byte, work.unit.parent(place)
    if parent is not None and parent.type != "compound_statement":
        closing = f" {_BARRIER} }}" if again else " }"
        return Replace(start, start, f"{{ {_BARRIER} "), [Replace(end, end, closing)]
    code = work.unit.code
    indent = code[code.rfind("\n", 0, start) + 1 : start]
    separator = f"\n{indent}" if not indent.strip() else " "
    behind: list[Edit] = [Replace(end, end, f"{separator}{_BARRIER}")] if again else []
    return Replace(start, start, f"{_BARRIER}{separator}"), behind


def _is_written_later(work: Work, function: Function, place: Node, exchange: Exchange) -> bool:
    """Return whether the array is written behind a place, or in a loop around it: lanes must have read it by then."""
    around, node = place, work.unit.parent(place)
    while node is not None and node != function.body:
        around = node if node.type in _LOOPS else around
        node = work.unit.parent(node)
    later = max(around.end_byte, place.end_byte)
    if around != place and _is_written(around, exchange):
        return True
    return any(target.start_byte >= later for target in _targets(function.body, exchange))


def _base(element: Node) -> str:
    """Return the name of the array that `a[i][j]` is an element of."""
    array, _ = subscripts(element) if element.type == "subscript_expression" else (None, [])
    return text_of(array)


def _is_written(node: Node, exchange: Exchange) -> bool:
    """Return whether the array is written in a statement."""
    return any(True for _ in _targets(node, exchange))


def _targets(node: Node, exchange: Exchange) -> Iterator[Node]:
    """Yield the elements of the array that assignments in a statement write."""
    names = {_base(exchange.read.node), _base(exchange.written.node)}
    targets = (part.child_by_field_name("left") for part in walk(node) if part.type == "assignment_expression")
    return (target for target in targets if target is not None and _base(target) in names)


def _split(statement: Node, exchange: Exchange) -> Iterator[Edit]:
    """Read before a barrier and write behind it: `s[i] += s[i - 1];` reads what another lane's statement writes."""
    assignment = statement.named_children[0] if statement.named_child_count == 1 else None
    if assignment is None or assignment.type != "assignment_expression":
        return
    left, operator = assignment.child_by_field_name("left"), assignment.child_by_field_name("operator")
    if left is None or operator is None or _base(left) != _base(exchange.read.node):
        return
    sign = text_of(operator)
    yield Replace(statement.start_byte, statement.start_byte, "{ auto& own = ")
    yield Replace(left.end_byte, operator.end_byte, "; const auto read =")
    yield Replace(statement.end_byte, statement.end_byte, f" {_BARRIER} own {sign} read; }}")
