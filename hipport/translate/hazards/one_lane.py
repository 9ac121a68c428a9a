"""Code that one lane of a wavefront runs at a time."""

from __future__ import annotations

from hipport import lazy_re as re
from hipport.translate.dataflow.function import Function, bare, called, text_of
from hipport.translate.dataflow.index_forms import Indices
from hipport.translate.syntax.calls import Launch, launches
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

_LANE = re.compile(
    r"\bthreadIdx\.x\b(?!\)*(?:/|>>))|\bthread_rank\(\)|\b(?!threadIdx)\w*(?:lane|tid|thread_?id|gtid|thread_?index|rank)\w*",
    re.IGNORECASE,
)
"""Matches a term that differs between the lanes of a warp, by its name if need be."""
_LEADER = re.compile(r"elect|leader|master|first|ffs|single|only_?one", re.IGNORECASE)
_EXITS = frozenset({"return_statement", "continue_statement", "break_statement"})
_DEEPEST = 8


class OneLane:
    """Tells whether code of a file is run by one lane of a wavefront at a time."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def runs(self, function: Function, node: Node, depth: int = 0) -> bool | None:
        """Return whether one lane at a time runs a node; None if the function's callers are in other files."""
        if self._is_alone(function, node) or (function.kernel and self._has_blocks_of_one(function)):
            return True
        if function.kernel:
            return False
        graph = self._work.conventions.graph
        told: list[bool | None] = []
        for caller in graph.callers.get(function.name, ()) if depth < _DEEPEST else ():
            sites = [call for name, call in caller.named_calls if name == function.name]
            told += [self.runs(caller, site, depth + 1) for site in sites]
        if not told or (None in told and False not in told):
            return None
        return False not in told

    def _has_blocks_of_one(self, kernel: Function) -> bool:
        """Return whether all launches of a kernel have blocks of one thread."""
        blocks = [
            self._work.unit.code[launch.configuration[1].start : launch.configuration[1].end].strip()
            for launch in launches(self._work.unit)
            if isinstance(launch, Launch) and len(launch.configuration) > 1 and _is_of(self._work, launch, kernel.name)
        ]
        return bool(blocks) and all(re.match(r"(?:dim3\s*\(\s*)?1[uU]?\s*\)?\Z", block) for block in blocks)

    def _is_alone(self, function: Function, node: Node) -> bool:
        """Return whether a condition around or before a node leaves one lane."""
        child, parent = node, self._work.unit.parent(node)
        while parent is not None and child != function.body:
            if parent.type == "if_statement":
                condition = parent.child_by_field_name("condition")
                then = child == parent.child_by_field_name("consequence")
                if condition is not None and then and self._leaves_one(function, condition):
                    return True
            if parent.type == "compound_statement" and self._others_left(function, parent, child):
                return True
            child, parent = parent, self._work.unit.parent(parent)
        return False

    def _others_left(self, function: Function, block: Node, before: Node) -> bool:
        """Return whether all other lanes have left a block before a statement: `if (threadIdx.x != 0) return;`."""
        for statement in block.named_children:
            if statement.start_byte >= before.start_byte:
                return False
            if statement.type != "if_statement":
                continue
            condition, then = statement.child_by_field_name("condition"), statement.child_by_field_name("consequence")
            while then is not None and then.type == "compound_statement" and then.named_child_count:
                then = then.named_children[-1]
            leaves = then is not None and then.type in _EXITS
            if leaves and condition is not None and self._is_of_others(function, condition):
                return True
        return False

    def _leaves_one(self, function: Function, condition: Node, depth: int = 0) -> bool:
        """Return whether a condition holds for one lane: `threadIdx.x == 0`, `!lane && n`, `is_leader`."""
        node = bare(condition)
        if node.type == "unary_expression" and text_of(node).startswith("!"):
            return self._is_lane(function, node.named_children[0])
        if node.type == "binary_expression":
            operator = text_of(node.child_by_field_name("operator"))
            left, right = node.named_children[0], node.named_children[-1]
            if operator == "&&":
                return any(self._leaves_one(function, side, depth) for side in (left, right))
            if operator == "<":
                return self._is_lane(function, left) and self._work.flow.constant(right, function) == 1
            return operator == "==" and any(self._is_lane(function, side) for side in (left, right))
        if node.type == "identifier" and depth < _DEEPEST:
            variable = function.variable(text_of(node), node.start_byte)
            if variable is not None and not variable.parameter and variable.values:
                return all(self._leaves_one(function, value, depth + 1) for value in variable.values)
        name = called(node) if node.type == "call_expression" else text_of(node)
        return node.type in ("identifier", "call_expression") and _LEADER.search(name) is not None

    def _is_of_others(self, function: Function, condition: Node) -> bool:
        """Return whether a condition holds for all lanes but one: `threadIdx.x != 0`, `lane > 0`, `threadIdx.x`."""
        node = bare(condition)
        if node.type == "unary_expression" and text_of(node).startswith("!"):
            return self._leaves_one(function, node.named_children[0])
        if node.type != "binary_expression":
            return self._is_lane(function, node)
        operator = text_of(node.child_by_field_name("operator"))
        left, right = node.named_children[0], node.named_children[-1]
        if operator == "||":
            return any(self._is_of_others(function, side) for side in (left, right))
        bound = self._work.flow.constant(right, function)
        known = operator == "!=" or (operator, bound) in ((">", 0), (">=", 1))
        return known and any(self._is_lane(function, side) for side in (left, right))

    def _is_lane(self, function: Function, node: Node) -> bool:
        form = Indices(self._work.flow, function).form(bare(node))
        return any(factor and _LANE.search(term) for term, factor in form.terms)


def _is_of(work: Work, launch: Launch, name: str) -> bool:
    kernel = work.unit.code[launch.kernel.start : launch.kernel.end]
    return re.match(rf"(?:\w+\s*::\s*)*{re.escape(name)}\b", kernel) is not None
