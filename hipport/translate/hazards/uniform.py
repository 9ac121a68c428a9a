"""Conditions that all lanes of a warp decide alike, and those that they do not."""

from __future__ import annotations

from hipport import lazy_re as re
from hipport.translate.dataflow.flow import COMPARISONS
from hipport.translate.dataflow.function import Function, bare, called, text_of, walk
from hipport.translate.dataflow.index_forms import Indices
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

_WHOLE = re.compile(r"threadIdx\.x(?:/32|>>5)\Z")
"""Matches the number of a warp."""
_LANE = re.compile(r"\bthreadIdx\.x\b(?!\)*(?:/|>>))|\bthread_rank\(\)|\b__lane_id\(\)")
"""Matches the number of a lane in a term: `threadIdx.x`, `threadIdx.x % 32`, but not `threadIdx.x / 32`."""
_DEEPEST = 6
_LONGEST = 400  # characters of a condition


class Uniform:
    """Tells whether all lanes of a warp evaluate a condition to the same value."""

    def __init__(self, work: Work, function: Function) -> None:
        self._work = work
        self._function = function
        self._indices = Indices(work.flow, function)
        subscripts = function.of_type("subscript_expression")
        self._indexing = {text_of(part) for node in subscripts for part in walk(node) if part.type == "identifier"}

    def holds(self, condition: Node, depth: int = 0) -> bool:
        """Return whether nothing in an expression depends on the lane."""
        if depth > _DEEPEST or condition.end_byte - condition.start_byte > _LONGEST:
            return False
        condition = bare(condition)
        if condition.type == "binary_expression":
            return self._is_of_whole_warps(condition) or all(self.holds(s, depth) for s in condition.named_children)
        if condition.type in ("number_literal", "true", "false", "qualified_identifier", "sizeof_expression"):
            return True
        if condition.type == "field_expression":
            return re.match(r"(?:blockIdx|blockDim|gridDim)\b", text_of(condition)) is not None
        if condition.type == "call_expression":
            arguments = condition.child_by_field_name("arguments")
            known = called(condition) in ("min", "max")
            return known and arguments is not None and all(self.holds(a, depth) for a in arguments.named_children)
        if condition.type in ("unary_expression", "cast_expression", "comma_expression"):
            return all(self.holds(s, depth) for s in condition.named_children if s.type != "type_descriptor")
        return condition.type == "identifier" and self._is_uniform(condition, depth)

    def _is_uniform(self, name: Node, depth: int) -> bool:
        variable = self._function.variable(text_of(name), name.start_byte)
        if variable is None:
            return True  # a constant or a template parameter
        if variable.parameter:
            return self._function.kernel or variable.name not in self._indexing
        return bool(variable.values) and all(self.holds(value, depth + 1) for value in variable.values)

    def _is_of_whole_warps(self, comparison: Node) -> bool:
        """Return whether a comparison is `threadIdx.x < 64`, `threadIdx.x / 32 == n` or the like."""
        operator = text_of(comparison.child_by_field_name("operator"))
        left, right = comparison.named_children[0], comparison.named_children[-1]
        form = self._indices.form(left)
        if len(form.terms) != 1 or form.terms[0][1] != 1:
            return False
        if _WHOLE.match(form.terms[0][0]):
            return self.holds(right)
        bound = self._work.flow.constant(right, self._function)
        return form.terms[0][0] == "threadIdx.x" and operator in ("<", ">=") and bound is not None and bound % 32 == 0

    def diverges(self, condition: Node) -> bool:
        """Return whether lanes of one warp surely decide a condition differently: `lane < 16`, `threadIdx.x & 1`."""
        if condition.end_byte - condition.start_byte > _LONGEST:
            return False
        condition = bare(condition)
        if condition.type == "unary_expression":
            return any(map(self.diverges, condition.named_children))
        operator = text_of(condition.child_by_field_name("operator")) if condition.type == "binary_expression" else ""
        if operator in ("&&", "||"):
            return any(map(self.diverges, condition.named_children))
        if operator in COMPARISONS:
            sides = (condition.named_children[0], condition.named_children[-1])
            return not self._is_of_whole_warps(condition) and any(map(self._counts_lanes, sides))
        return condition.type in ("binary_expression", "identifier") and self._counts_lanes(condition)

    def _counts_lanes(self, node: Node) -> bool:
        return any(factor and _LANE.search(term) for term, factor in self._indices.form(node).terms)
