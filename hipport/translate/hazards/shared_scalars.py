"""HP208: a shared variable that one thread writes and others read at once, as if threads ran in lockstep."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.translate.dataflow.function import JUMPS, Function, Variable, called, text_of, walk
from hipport.translate.dataflow.index_forms import Indices
from hipport.translate.hazards import wavefront
from hipport.translate.hazards.exchanges import HARMLESS, RUNS_IN_STEP, waiting_functions
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

WORDS = frozenset({"__shared__"})
_EQUALS = re.compile(r"(?<![<>=!])==(?!=)|^\(\s*!")
_NAMES = ("identifier", "field_expression")
_ADVICE = f"Put __syncthreads() between them, or __syncwarp() if one warp exchanges the value. {RUNS_IN_STEP}"


def run(work: Work) -> Iterator[Diagnostic]:
    """Report the first read of each shared scalar behind the branch of the thread that writes it."""
    waiting = waiting_functions(work, work.flow.device_functions)
    for function in wavefront.device_functions(work, WORDS):
        reported: set[int] = set()
        for branch, written, variable in _written_by_one(work, function):
            read = _read_behind(work, function, branch, variable, waiting)
            if read is not None and id(variable) not in reported:
                reported.add(id(variable))
                yield _report(work, written, read, variable)


def _written_by_one(work: Work, function: Function) -> Iterator[tuple[Node, Node, Variable]]:
    """Yield the branches of one thread that write a shared scalar: `if (threadIdx.x == 0) start = ...;`."""
    for node in function.of_type("assignment_expression"):
        variable = _scalar(function, node.child_by_field_name("left"))
        branch = _branch_of_one(work, function, node) if variable is not None else None
        if branch is not None and variable is not None:
            yield branch, node, variable


def _scalar(function: Function, node: Node | None) -> Variable | None:
    if node is None or node.type != "identifier":
        return None
    variable = function.variable(text_of(node), node.start_byte)
    return variable if variable is not None and variable.shared and not (variable.sizes or variable.pointer) else None


def _branch_of_one(work: Work, function: Function, node: Node) -> Node | None:
    """Return the outermost branch around a node that one thread takes."""
    found, parent = None, work.unit.parent(node)
    while parent is not None and parent != function.body:
        if parent.type == "if_statement" and _chooses_one(work, function, parent):
            found = parent
        parent = work.unit.parent(parent)
    return found


def _chooses_one(work: Work, function: Function, branch: Node) -> bool:
    condition = branch.child_by_field_name("condition")
    if condition is None or _EQUALS.search(text_of(condition)) is None:
        return False
    indices = Indices(work.flow, function)
    return any(part.type in _NAMES and indices.derived(part) for part in walk(condition))


def _read_behind(
    work: Work, function: Function, branch: Node, variable: Variable, waiting: frozenset[str]
) -> Node | None:
    """Return the first read behind a branch, in the block of the branch, that no barrier comes before."""
    block = work.unit.parent(branch)
    for node in function.of_type("identifier", "call_expression", *JUMPS):
        if block is None or node.start_byte < branch.end_byte or node.end_byte > block.end_byte:
            continue
        if node.type in JUMPS or (node.type == "call_expression" and _may_wait(node, waiting)):
            return None
        if _scalar(function, node) is variable:
            return node if _is_read_by_others(work, function, node, block) else None
    return None


def _may_wait(call: Node, waiting: frozenset[str]) -> bool:
    return called(call) in waiting or HARMLESS.match(called(call)) is None or called(call).startswith("__sync")


def _is_read_by_others(work: Work, function: Function, node: Node, block: Node) -> bool:
    parent = work.unit.parent(node)
    if parent is None or parent.type in ("update_expression", "pointer_expression"):
        return False
    if parent.type == "assignment_expression" and parent.child_by_field_name("left") == node:
        return False
    while parent is not None and parent != block:
        if parent.type in ("while_statement", "do_statement", "lambda_expression"):
            return False  # it may wait for the value
        if parent.type == "if_statement" and _chooses_one(work, function, parent):
            return False
        parent = work.unit.parent(parent)
    return True


def _report(work: Work, written: Node, read: Node, variable: Variable) -> Diagnostic:
    line, _ = work.unit.source.position(read.start_byte)
    message = f"'{variable.name}' is written here by one thread and read by others in line {line}"
    message += " without a barrier between, as if threads ran in lockstep"
    severity = Severity.WARNING
    if variable.volatile:
        message += "; volatile keeps accesses in order within a wavefront, but no compiler guarantees more"
        severity = Severity.NOTE
    return work.report(wavefront.span(written), "HP208", severity, message, _ADVICE)
