"""HP219: coalesced groups of HIP taken for 32 threads: their size, shuffles over 32 threads, arrays of 32 elements.

Those of CUDA sources are groups of up to 32 threads in the translation
(`hipport.translate.passes.coalesced_threads`).
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.translate.dataflow.cross_lane import COALESCED
from hipport.translate.dataflow.flow import COMPARISONS
from hipport.translate.dataflow.function import Function, called, text_of
from hipport.translate.dataflow.origins import is_coalesced
from hipport.translate.hazards import wavefront
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

WORDS = COALESCED
_SIZES = frozenset({"size", "num_threads"})
_DIVIDING = {"/": 32, "%": 32, "&": 31, ">>": 5}
_SHUFFLES = frozenset({"shfl", "shfl_up", "shfl_down", "shfl_xor"})
_FIRST = re.compile(r"(?:\w+\s+)?{}\s*=\s*(?:16|warpSize\s*(?:/\s*2|>>\s*1))\s*(?:[;,]|\Z)")
"""Matches the start of a loop over distances, from half of a warp."""
_MESSAGE = "a coalesced group has up to 64 threads on wavefronts of 64, and its size is {} here"
_EXCHANGED = "a coalesced group has up to 64 threads on wavefronts of 64, and {} takes 32"
_RIGHT = (
    "Begin with the group's own size (cg::reduce does so), or use cg::tiled_partition<32>(cg::this_thread_block())."
)
_ADVICE = "Check that 33 to 64 threads are correct here."


def run(work: Work) -> Iterator[Diagnostic]:
    """Note `group.size() == 32`, `group.num_threads() / 32` and the like; report what leaves threads out."""
    if wavefront.only_32(work) or not is_hip(work):
        return
    for function in wavefront.device_functions(work, WORDS):
        for node in function.of_type("binary_expression"):
            done = _done_with_32(work, function, node)
            if done:
                yield work.report(wavefront.span(node), "HP219", Severity.NOTE, _MESSAGE.format(done), _ADVICE)
        for node in function.of_type("call_expression", "subscript_expression"):
            if taken := _of_32(work, function, node):
                yield work.report(wavefront.span(node), "HP219", Severity.WARNING, _EXCHANGED.format(taken), _RIGHT)


def _of_32(work: Work, function: Function, node: Node) -> str:
    """Return what a shuffle or an element of an array takes for 32 threads; "" for others."""
    if node.type == "subscript_expression":
        return _of_array(work, function, node)
    callee = node.child_by_field_name("function")
    if callee is None or callee.type != "field_expression" or called(node) not in _SHUFFLES:
        return ""
    arguments = node.child_by_field_name("arguments")
    if arguments is None or arguments.named_child_count < 2:
        return ""
    distance = arguments.named_children[1]
    value = work.flow.constant(distance, function)
    whole = value == (31 if called(node) == "shfl" else 16) or _starts_at_half(work, distance)
    return "this shuffle" if whole and is_coalesced(callee.child_by_field_name("argument"), function) else ""


def _starts_at_half(work: Work, distance: Node) -> bool:
    """Return whether a loop around begins with half of a warp as the distance."""
    name = text_of(distance)
    node = work.unit.parent(distance) if distance.type == "identifier" else None
    while node is not None and node.type not in ("function_definition", "lambda_expression"):
        start = node.child_by_field_name("initializer") if node.type == "for_statement" else None
        if start is not None and re.match(_FIRST.pattern.format(name), text_of(start).strip()):
            return True
        node = work.unit.parent(node)
    return False


def _of_array(work: Work, function: Function, node: Node) -> str:
    """Return that an array of 32 elements is indexed by the rank in a coalesced group."""
    array, indices = node.child_by_field_name("argument"), node.child_by_field_name("indices")
    if array is None or array.type != "identifier" or indices is None or indices.named_child_count != 1:
        return ""
    variable = function.variable(text_of(array), array.start_byte)
    if variable is None or not re.search(
        rf"\b{variable.name}\s*\[\s*(?:32|warpSize|WARP_SIZE)\s*\]", _text(work, function)
    ):
        return ""
    leaves = work.flow.leaves(indices.named_children[0], function, {"+", "-"})
    return "the array" if any(_is_rank(leaf, function) for leaf in leaves) else ""


def _text(work: Work, function: Function) -> str:
    """Return the text of a function."""
    return work.unit.code[function.span.start : function.span.end]


def _is_rank(node: Node, function: Function) -> bool:
    callee = node.child_by_field_name("function") if node.type == "call_expression" else None
    if callee is None or callee.type != "field_expression" or called(node) != "thread_rank":
        return False
    return is_coalesced(callee.child_by_field_name("argument"), function)


def _done_with_32(work: Work, function: Function, node: Node) -> str:
    """Return what an expression does with the size of a group and 32; "" for anything else."""
    operator = node.child_by_field_name("operator")
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if operator is None or left is None or right is None:
        return ""
    if operator.type in _DIVIDING:
        divided = work.flow.constant(right, function) == _DIVIDING[operator.type]
        return "divided by 32" if divided and _is_size(work, function, left) else ""
    for side, other in ((left, right), (right, left)) if operator.type in COMPARISONS else ():
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
