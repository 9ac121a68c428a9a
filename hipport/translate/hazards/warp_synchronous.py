"""HP208: exchange through shared memory within a warp without a barrier."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hipport.diagnostics import Diagnostic, Severity
from hipport.translate.dataflow.flow import called
from hipport.translate.dataflow.function import Function, Variable, first_child, text_of, walk
from hipport.translate.dataflow.origins import is_thread_index
from hipport.translate.hazards import wavefront
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

WORDS = frozenset({"__shared__", "volatile"})
_BARRIER = re.compile(r"sync|wait|barrier|fence", re.IGNORECASE)
_STEP = re.compile(r"\b(\w+)\s*\[[^\[\]\n]*\]\s*(?:[-+*/|&^]|<<|>>)?=(?!=)[^;{}=]*?\b\1\s*\[")
"""Matches a likely step: an element is assigned a value made of elements of the same array."""
_ADVICE = "Put __syncwarp() between the steps: then the exchange is correct on every GPU."


def run(work: Work) -> Iterator[Diagnostic]:
    """Report the first of several consecutive steps without a barrier between them."""
    for function in wavefront.device_functions(work, WORDS):
        if len(_STEP.findall(work.unit.code, function.span.start, function.span.end)) < 2:
            continue
        blocks = (node for node in walk(function.body) if node.type == "compound_statement")
        for block in blocks:
            steps = _run_of_steps(work, function, block.named_children)
            if len(steps) > 1:
                yield _report(work, steps[0][0], steps[0][1])


def _run_of_steps(work: Work, function: Function, statements: Sequence[Node]) -> list[tuple[Node, Variable]]:
    """Return the first two or more consecutive steps on one array."""
    steps: list[tuple[Node, Variable]] = []
    for statement in statements:
        step = _step(work, function, statement)
        if step is not None and (not steps or steps[-1][1] is step[1]):
            steps.append(step)
        elif steps and (step is not None or _has_barrier(statement)):
            if len(steps) > 1:
                break
            steps = [step] if step is not None else []
    return steps if len(steps) > 1 else []


def _has_barrier(statement: Node) -> bool:
    return any(node.type == "call_expression" and _BARRIER.search(called(node)) for node in walk(statement))


def _step(work: Work, function: Function, statement: Node) -> tuple[Node, Variable] | None:
    """Return the assignment and array of `s[i] += s[i + 16];`, also inside an `if`.

    Other threads read the element that is written, and another thread's element is read.
    """
    inner: Node | None = statement
    while inner is not None and inner.type in ("if_statement", "compound_statement"):
        if inner.type == "compound_statement" and inner.named_child_count != 1:
            return None
        if inner.type == "if_statement" and inner.child_by_field_name("alternative") is not None:
            return None
        inner = inner.child_by_field_name("consequence") if inner.type == "if_statement" else first_child(inner)
    if inner is None or inner.type != "expression_statement":
        return None
    assignment = first_child(inner)
    if assignment is None or assignment.type != "assignment_expression":
        return None
    return None if _has_barrier(statement) else _exchange(work, function, assignment)


def _exchange(work: Work, function: Function, assignment: Node) -> tuple[Node, Variable] | None:
    target, value = assignment.child_by_field_name("left"), assignment.child_by_field_name("right")
    if target is None or value is None:
        return None
    written = next((element for element in _elements(target, function)), None)
    if written is None or not (written[1].shared or (written[1].volatile and written[1].pointer)):
        return None
    if not _is_threads_own(work, function, written[0]):
        return None
    others = [text for text, variable in _reads(value, function) if variable is written[1]]
    return (assignment, written[1]) if any(text != _index(written[0]) for text in others) else None


def _is_threads_own(work: Work, function: Function, element: Node) -> bool:
    """Return whether the index is the thread's: derived from the thread index, or a parameter."""
    indices = element.child_by_field_name("indices")
    index = first_child(indices)
    if index is None:
        return False
    variable = function.variable(text_of(index), index.start_byte) if index.type == "identifier" else None
    return (variable is not None and variable.parameter) or is_thread_index(work.flow, index, function)


def _reads(value: Node, function: Function) -> Iterator[tuple[str, Variable]]:
    """Yield the index and variable of each array element that occurs in a value."""
    for element, variable in _elements(value, function):
        yield _index(element), variable


def _elements(node: Node, function: Function) -> Iterator[tuple[Node, Variable]]:
    for part in walk(node):
        argument = part.child_by_field_name("argument") if part.type == "subscript_expression" else None
        if argument is not None and argument.type == "identifier":
            variable = function.variable(text_of(argument), part.start_byte)
            if variable is not None:
                yield part, variable


def _index(element: Node) -> str:
    return re.sub(r"\s", "", text_of(element.child_by_field_name("indices")))


def _report(work: Work, assignment: Node, variable: Variable) -> Diagnostic:
    message = f"steps on '{variable.name}' follow each other without a barrier, as if threads ran in lockstep"
    severity = Severity.WARNING
    if variable.volatile:
        message += "; volatile keeps them in order within a wavefront, but no compiler guarantees more"
        severity = Severity.NOTE
    return work.report(wavefront.span(assignment), "HP208", severity, message, _ADVICE)
