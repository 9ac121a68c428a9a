"""HP207: a shared array for 32 lanes that a lane of a wavefront of 64 writes past."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.dataflow.function import Function, Variable, first_child, text_of, walk
from hipport.dataflow.origins import is_thread_index, uses_wave_size
from hipport.diagnostics import Diagnostic
from hipport.hazards import wavefront
from hipport.passes.work import Work
from hipport.syntax.unit import Node

WORDS = frozenset({"warpSize"})
_GUARDS = frozenset({"if_statement", "conditional_expression", "while_statement", "for_statement"})


def run(work: Work) -> Iterator[Diagnostic]:
    """Report subscripts of arrays of 32 elements by a lane below `warpSize`, with no condition around."""
    if wavefront.only_32(work):
        return
    for function in wavefront.device_functions(work, work.warps.wave_names):
        for node in walk(function.body):
            if node.type == "subscript_expression":
                variable = _array(node, function)
                if variable is not None and _is_short(work, variable, function) and _by_lane(work, node, function):
                    yield _report(work, node, variable)


def _array(node: Node, function: Function) -> Variable | None:
    argument = node.child_by_field_name("argument")
    if argument is None or argument.type != "identifier":
        return None
    variable = function.variable(text_of(argument), node.start_byte)
    return variable if variable is not None and variable.shared and variable.sizes else None


def _is_short(work: Work, variable: Variable, function: Function) -> bool:
    size = work.flow.constant(variable.sizes[0], function)
    return size is not None and 32 <= size < 64


def _by_lane(work: Work, node: Node, function: Function) -> bool:
    indices = node.child_by_field_name("indices")
    index = first_child(indices)
    lane = any(_is_lane(work, leaf, function) for leaf in work.flow.leaves(index, function, {"+"}))
    return lane and not _guarded(node, function)


def _is_lane(work: Work, leaf: Node, function: Function) -> bool:
    """`threadIdx.x % warpSize`, `threadIdx.x & (warpSize - 1)`"""
    operator = leaf.child_by_field_name("operator") if leaf.type == "binary_expression" else None
    if operator is None or operator.type not in ("%", "&"):
        return False
    left, right = leaf.child_by_field_name("left"), leaf.child_by_field_name("right")
    wave = uses_wave_size(work.flow, right, function, work.warps.wave_names)
    return wave and is_thread_index(work.flow, left, function)


def _guarded(node: Node, function: Function) -> bool:
    parent = node.parent
    while parent is not None and parent != function.body:
        if parent.type in _GUARDS:
            return True
        parent = parent.parent
    return False


def _report(work: Work, node: Node, variable: Variable) -> Diagnostic:
    message = f"'{variable.name}' has {text_of(variable.sizes[0])} elements, and the lane goes to 63"
    advice = "Give it 64 elements, or as many as the block has wavefronts if that is what it is indexed by."
    return work.report(wavefront.span(node), "HP207", wavefront.severity(work), message, advice)
