"""HP208: statements that change each thread's element and read another's: `s[tid] += s[tid ^ 8];`.

The threads may read elements that others have changed already. In a warp in lockstep all of them have read before one
of them writes. Barriers around such a statement do not help.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport.diagnostics import Diagnostic, Severity
from hipport.translate.dataflow.function import JUMPS, Function, Variable, bare, text_of, walk
from hipport.translate.dataflow.index_forms import Form, Indices, subscripts
from hipport.translate.hazards import wavefront
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

WORDS = frozenset({"__shared__", "__syncthreads", "__syncwarp", "sync"})
_ADVICE = "Read into a variable, put __syncwarp() or __syncthreads() behind that, then write. "
_MIRROR = 32
_BRANCHES = frozenset({"if_statement", "while_statement", "do_statement", "for_statement", "switch_statement"})
_NAMES = frozenset({"identifier", "field_expression", "call_expression"})


def run(work: Work) -> Iterator[Diagnostic]:
    """Report the first such statement for each array of a function, unless accesses without a barrier are reported."""
    for function in wavefront.device_functions(work, WORDS):
        found = {variable.name: (variable, node) for variable, node in reversed([*_in_place(work, function)])}
        known = _exchanged(work, function) if found else frozenset()
        for variable, node in sorted(found.values(), key=lambda one: one[1].start_byte):
            if variable.name not in known:
                yield _report(work, node, variable)


def _exchanged(work: Work, function: Function) -> frozenset[str]:
    """Return the arrays of a function for which another check reports accesses without a barrier."""
    from hipport.translate.hazards.exchanges import Exchanges, waiting_functions
    from hipport.translate.hazards.helper_accesses import helpers
    from hipport.translate.hazards.shared_arrays import given

    functions = work.flow.device_functions
    waiting = waiting_functions(work, functions)
    known, helping = given(work.flow, functions), helpers(work.flow, functions, waiting)
    exchanges = Exchanges(work, function, waiting, known, helping).all()
    return frozenset(exchange.written.array.name for exchange in exchanges)


def _report(work: Work, node: Node, variable: Variable) -> Diagnostic:
    from hipport.translate.hazards.exchanges import RUNS_IN_STEP

    message = f"'{variable.name}' is changed and read at another thread's index in one statement, as if threads ran in"
    message += " lockstep: that thread may have changed its element already"
    severity = Severity.WARNING
    if variable.volatile:
        message += "; volatile keeps accesses in order within a wavefront, but no compiler guarantees more"
        severity = Severity.NOTE
    return work.report(wavefront.span(node), "HP208", severity, message, _ADVICE + RUNS_IN_STEP)


def _in_place(work: Work, function: Function) -> Iterator[tuple[Variable, Node]]:
    """Yield the elements that threads change in statements that read the elements that others change."""
    indices = Indices(work.flow, function)
    for node in function.of_type("assignment_expression"):
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None or left.type != "subscript_expression":
            continue
        variable, places = _element(function, left)
        own = indices.own(indices.form(places[-1])) if places else None
        if variable is None or own is None or indices.form(places[-1]) != Form(((own, 1),)):
            continue
        parts = [_element(function, part) for part in walk(right) if part.type == "subscript_expression"]
        read = [others for other, others in parts if other is variable]
        partners = [others[-1] for others in read if _is_of_partner(indices, own, places, others)]
        if any(_all_take_part(work, function, indices, node, index) for index in partners):
            yield variable, left


def _element(function: Function, node: Node) -> tuple[Variable | None, list[Node]]:
    """Return the array that threads share and that an expression is an element of, and the indices."""
    array, places = subscripts(node)
    variable = function.variable(text_of(array), node.start_byte) if array is not None and places else None
    given = variable is not None and variable.parameter and not function.kernel and (variable.pointer or variable.sizes)
    return (variable, places) if variable is not None and (variable.shared or given) else (None, [])


def _is_of_partner(indices: Indices, own: str, written: list[Node], read: list[Node]) -> bool:
    """Return whether an element is that of a thread that changes its own in turn, or reads this thread's."""
    if len(written) != len(read) or [*map(text_of, written[:-1])] != [*map(text_of, read[:-1])]:
        return False
    index = read[-1]
    form = indices.form(index)
    difference = form.minus(Form(((own, 1),)))
    terms = dict(form.terms)
    if terms.get(own) == -1:
        return not terms.keys() - {own, ""} and 0 < terms.get("", 0) < _MIRROR  # `s[31 - tid]`
    if difference and all(factor < 0 for factor in difference.values()):
        return indices.steps(difference, index)  # `s[tid - d]`
    return _mask(indices, index, own) is not None


def _mask(indices: Indices, index: Node, own: str) -> Node | None:
    """Return `d` of an index `tid ^ d`."""
    while index.type == "parenthesized_expression" and index.named_child_count == 1:
        index = index.named_children[0]
    operator = index.child_by_field_name("operator") if index.type == "binary_expression" else None
    if operator is None or operator.type != "^":
        return None
    sides = index.named_children
    for side, other in ((sides[0], sides[-1]), (sides[-1], sides[0])):
        if indices.form(side) == Form(((own, 1),)) and not indices.derived(other):
            return other
    return None


def _all_take_part(work: Work, function: Function, indices: Indices, node: Node, index: Node) -> bool:
    """Return whether conditions leave both threads in: they bound the thread's index by a constant, or from below."""
    ends = [one for one in function.of_type(*JUMPS) if one.start_byte < node.start_byte]
    conditions = [*_conditions(work, function, node)]
    before = [condition for end in ends for condition in _conditions(work, function, end)]
    return all(_keeps(indices, condition, index, negated=False) for condition in conditions) and all(
        _keeps(indices, condition, index, negated=True) for condition in before if condition not in conditions
    )


def _conditions(work: Work, function: Function, node: Node) -> Iterator[Node]:
    parent = work.unit.parent(node)
    while parent is not None and parent != function.body:
        condition = parent.child_by_field_name("condition") if parent.type in _BRANCHES else None
        if condition is not None:
            yield condition
        parent = work.unit.parent(parent)


def _keeps(indices: Indices, condition: Node, index: Node, *, negated: bool) -> bool:
    """Return whether a condition does not tell a thread from the one whose element it reads, as `tid < d` would."""
    node = bare(condition)
    if not _asks_thread(indices, node):
        return True
    operator = text_of(node.child_by_field_name("operator")) if node.type == "binary_expression" else ""
    if operator not in ("<", "<=", ">", ">="):
        return False
    right = node.named_children[-1]
    if _asks_thread(indices, right):
        return False
    bound = dict(indices.form(right).terms)
    if bound.keys() <= {""}:
        return not _is_crossed(index) or bound.get("", 0) > _largest(indices, index)
    return (operator in (">", ">=")) != negated and not _is_crossed(index)


def _asks_thread(indices: Indices, node: Node) -> bool:
    return any(part.type in _NAMES and indices.derived(part) for part in walk(node))


def _is_crossed(index: Node) -> bool:
    return any(text_of(part.child_by_field_name("operator")) == "^" for part in walk(index))


def _largest(indices: Indices, index: Node) -> int:
    """Return the constant in `tid ^ 8`; 0 if it is none, since a constant bound does not depend on that."""
    constants = [dict(indices.form(side).terms) for side in index.named_children]
    return max((one.get("", 0) for one in constants if one.keys() <= {""}), default=0)
