"""HP219: the number of threads in a coalesced group, compared with 32 or divided by it."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.diagnostics import Diagnostic, Severity
from hipport.translate.dataflow.cross_lane import COALESCED
from hipport.translate.dataflow.function import Function, called
from hipport.translate.dataflow.origins import is_coalesced
from hipport.translate.hazards import wavefront
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

WORDS = COALESCED
_SIZES = frozenset({"size", "num_threads"})
_COMPARING = frozenset({"==", "!=", "<", ">", "<=", ">="})
_DIVIDING = {"/": 32, "%": 32, "&": 31, ">>": 5}
_MESSAGE = "a coalesced group has up to 64 threads on wavefronts of 64, and its size is {} here"
_ADVICE = "Check that 33 to 64 threads are correct here."


def run(work: Work) -> Iterator[Diagnostic]:
    """Note `group.size() == 32`, `group.num_threads() / 32` and the like."""
    if wavefront.only_32(work):
        return
    for function in wavefront.device_functions(work, WORDS):
        for node in function.of_type("binary_expression"):
            done = _done_with_32(work, function, node)
            if done:
                yield work.report(wavefront.span(node), "HP219", Severity.NOTE, _MESSAGE.format(done), _ADVICE)


def _done_with_32(work: Work, function: Function, node: Node) -> str:
    """Return what an expression does with the size of a group and 32; "" for anything else."""
    operator = node.child_by_field_name("operator")
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if operator is None or left is None or right is None:
        return ""
    if operator.type in _DIVIDING:
        divided = work.flow.constant(right, function) == _DIVIDING[operator.type]
        return "divided by 32" if divided and _is_size(work, function, left) else ""
    for side, other in ((left, right), (right, left)) if operator.type in _COMPARING else ():
        value = work.flow.constant(other, function)
        if value in (31, 32) and _is_size(work, function, side):
            return f"compared with {value}"
    return ""


def _is_size(work: Work, function: Function, node: Node) -> bool:
    """Return whether a value is the size of a coalesced group, maybe by way of variables."""
    return any(_is_size_call(leaf, function) for leaf in work.flow.leaves(node, function, {"+", "-"}))


def _is_size_call(node: Node, function: Function) -> bool:
    callee = node.child_by_field_name("function") if node.type == "call_expression" else None
    if callee is None or callee.type != "field_expression" or called(node) not in _SIZES:
        return False
    return is_coalesced(callee.child_by_field_name("argument"), function)
