"""HP207: a shared array of 32 elements that the lanes of a wavefront of 64 overrun."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.diagnostics import Diagnostic
from hipport.translate.dataflow.function import Function, Variable, first_child, text_of
from hipport.translate.dataflow.origins import is_thread_index, uses_wave_size
from hipport.translate.hazards import wavefront
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

WORDS = frozenset({"warpSize"})
_GUARDS = frozenset({"if_statement", "conditional_expression", "while_statement", "for_statement"})


def run(work: Work) -> Iterator[Diagnostic]:
    """Report subscripts of arrays of 32 elements by a lane below `warpSize` without a condition around them."""
    if wavefront.only_32(work):
        return
    for function in wavefront.device_functions(work, work.warps.wave_names):
        for node in function.of_type("subscript_expression"):
            variable, size = _array(node, function)
            if variable is not None and _is_short(work, size, function) and _by_lane(work, node, function):
                yield _report(work, node, variable, size)


def _array(node: Node, function: Function) -> tuple[Variable | None, Node | None]:
    """Return the shared array of a subscript, and the size of the dimension that it indexes."""
    argument, depth = node.child_by_field_name("argument"), 0
    while argument is not None and argument.type == "subscript_expression":
        argument, depth = argument.child_by_field_name("argument"), depth + 1
    if argument is None or argument.type != "identifier":
        return None, None
    variable = function.variable(text_of(argument), node.start_byte)
    if variable is None or not variable.shared or depth >= len(variable.sizes):
        return None, None
    return variable, variable.sizes[depth]


def _is_short(work: Work, bound: Node | None, function: Function) -> bool:
    size = work.flow.constant(bound, function)
    return size is not None and 32 <= size < 64


def _by_lane(work: Work, node: Node, function: Function) -> bool:
    indices = node.child_by_field_name("indices")
    index = first_child(indices)
    lane = any(is_lane(work, leaf, function) for leaf in work.flow.leaves(index, function, {"+"}))
    return lane and not _guarded(work, node, function)


def is_lane(work: Work, leaf: Node, function: Function) -> bool:
    """Return whether an expression is `threadIdx.x % warpSize` or `threadIdx.x & (warpSize - 1)`."""
    return _by_wave_size(work, leaf, function, ("%", "&"))


def _by_wave_size(work: Work, leaf: Node, function: Function, operators: tuple[str, ...]) -> bool:
    operator = leaf.child_by_field_name("operator") if leaf.type == "binary_expression" else None
    if operator is None or operator.type not in operators:
        return False
    left, right = leaf.child_by_field_name("left"), leaf.child_by_field_name("right")
    wave = uses_wave_size(work.flow, right, function, work.warps.wave_names)
    return wave and is_thread_index(work.flow, left, function)


def _guarded(work: Work, node: Node, function: Function) -> bool:
    parent = work.unit.parent(node)
    while parent is not None and parent != function.body:
        if parent.type in _GUARDS and not _chooses_wavefront(work, parent, function):
            return True
        parent = work.unit.parent(parent)
    return False


def _chooses_wavefront(work: Work, guard: Node, function: Function) -> bool:
    """Return whether a guard is like `if (wave == 0)` with `wave = threadIdx.x / warpSize`: any lane passes."""
    condition = guard.child_by_field_name("condition")
    while condition is not None and condition.type in ("condition_clause", "parenthesized_expression"):
        condition = first_child(condition)
    if condition is None or condition.type != "binary_expression":
        return False
    sides = (condition.child_by_field_name(side) for side in ("left", "right"))
    leaves = [leaf for side in sides for leaf in work.flow.leaves(side, function, set())]
    return any(_by_wave_size(work, leaf, function, ("/",)) for leaf in leaves)


def _report(work: Work, node: Node, variable: Variable, size: Node | None) -> Diagnostic:
    message = f"'{variable.name}' has {text_of(size)} elements, but lanes go up to 63"
    advice = "Make it 64 elements, or one per wavefront of the block if it is indexed by wavefront."
    return work.report(wavefront.span(node), "HP207", wavefront.severity(work), message, advice)
