"""Tells from the statements of a function's body whether execution reaches its end."""

from __future__ import annotations

import enum
from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.translate.dataflow.function import text_of
from hipport.translate.syntax.unit import Node, Unit

_NEVER_BACK = re.compile(
    r"(?:\w+\s*::\s*)*(?:__trap|trap|abort|exit|_exit|terminate|__assert_fail|__builtin_(?:unreachable|trap)|unreachable)\s*\("
)
"""Matches statements behind which execution does not go on."""
_DOUBTFUL = re.compile(r"assert\s*\(|(?:asm|__asm|__asm__)\b")
"""Matches statements behind which it may: assertions may be off, and assembly may exit."""
_MACRO = re.compile(r"\(*([A-Z][A-Z\d_]*)\b")
_LEAVES = re.compile(
    r"\b(?:return|throw|goto|asm|__asm__|assert|__trap|trap|abort|exit|terminate|__builtin_(?:unreachable|trap)|unreachable)\b"
)
_ENUMERATOR = re.compile(r"[A-Za-z_]")
_LEAVING = ("return_statement", "throw_statement", "break_statement", "continue_statement", "co_return_statement",
            "goto_statement")  # fmt: skip
_LOOPS = ("while_statement", "do_statement", "for_statement")
_BREAKABLE = (*_LOOPS, "for_range_loop", "switch_statement")
_INSIDE = (*_LEAVING, *_BREAKABLE, "compound_statement", "if_statement", "else_clause", "case_statement",
           "labeled_statement", "try_statement", "catch_clause", "attributed_statement")  # fmt: skip
"""Node types that contain statements, and statements: neither expressions nor functions."""
_DEEPEST = 100
"""Statements within statements that are followed."""
_UNKNOWN = ("try_statement", "ERROR")
_ALWAYS = re.compile(r"\(?\s*(?:true|1|)\s*\)?\Z")


class End(enum.Enum):
    """The knowledge about the end of a body: is it reached?"""

    NEVER = enum.auto()
    MAYBE = enum.auto()
    """It is reached if an assertion is off, a macro goes on, or no case of a `switch` matches."""
    REACHED = enum.auto()


def end_of(unit: Unit, body: Node) -> End:
    """Return whether execution may reach the end of a body."""
    if _Paths(unit, surely=True).go_on(body):
        return End.REACHED
    return End.MAYBE if _Paths(unit, surely=False).go_on(body) else End.NEVER


class _Paths:
    """Follows statements; `surely`: what is in doubt is taken to leave the function."""

    def __init__(self, unit: Unit, *, surely: bool) -> None:
        self._unit, self._surely = unit, surely

    def go_on(self, node: Node, depth: int = 0) -> bool:
        """Return whether execution can go on behind a statement."""
        if node.type in _LEAVING or depth > _DEEPEST:
            return False
        if node.type in _UNKNOWN:
            return not self._surely
        if node.type in ("compound_statement", "else_clause", "labeled_statement"):
            return self._sequence(node.named_children, depth)
        if node.type == "expression_statement":
            return self._expression(text_of(node))
        if node.type == "if_statement":
            other, then = node.child_by_field_name("alternative"), node.child_by_field_name("consequence") or node
            return other is None or self.go_on(then, depth + 1) or self.go_on(other, depth + 1)
        if node.type in _LOOPS:
            return self._loop(node, depth)
        return node.type != "switch_statement" or self._switch(node, depth)

    def _sequence(self, nodes: list[Node], depth: int) -> bool:
        """Return whether the end of a sequence is reached; a label in it may be jumped to."""
        goes_on = True
        for node in nodes:
            goes_on = (goes_on or node.type == "labeled_statement") and self.go_on(node, depth + 1)
        return goes_on

    def _expression(self, text: str) -> bool:
        macro = _MACRO.match(text)
        if macro is not None:
            bodies = self._unit.macros.get(macro[1], ())
            leaves = any(_LEAVES.search(self._unit.code, each.start, each.end) for each in bodies)
            return not leaves if bodies else not self._surely
        return not (self._surely and _DOUBTFUL.match(text)) and not _NEVER_BACK.match(text)

    def _loop(self, node: Node, depth: int) -> bool:
        condition, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
        if body is not None and _breaks(body):
            return True
        if _ALWAYS.match(text_of(condition)):
            return False
        return node.type != "do_statement" or body is None or self.go_on(body, depth + 1)

    def _switch(self, node: Node, depth: int) -> bool:
        """Return whether a `switch` goes on behind a case, or without one; enumerators may be all there are."""
        body = node.child_by_field_name("body")
        if body is None or _breaks(body):
            return True
        cases = [child for child in body.named_children if child.type == "case_statement"]
        values = [case.child_by_field_name("value") for case in cases]
        if None not in values and not (self._surely and any(_ENUMERATOR.match(text_of(each)) for each in values)):
            return True
        return not cases or self._sequence(_behind_value(cases[-1]), depth)


def _behind_value(case: Node) -> list[Node]:
    value = case.child_by_field_name("value")
    return [child for child in case.named_children if child != value]


def _breaks(node: Node) -> bool:
    """Return whether a body has a `break` for the statement around it."""
    return any(each.type == "break_statement" for each in statements(node, _BREAKABLE))


def statements(node: Node, closed: tuple[str, ...] = ()) -> Iterator[Node]:
    """Yield the statements below one, in the order of the source, without those inside of `closed` ones."""
    left = list(reversed(node.named_children))
    while left:
        each = left.pop()
        if each.type in _INSIDE:
            yield each
            if each.type not in closed:
                left.extend(reversed(each.named_children))
