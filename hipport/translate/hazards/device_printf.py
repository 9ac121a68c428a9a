"""HP215: `printf` in device code; HP238: uses of its value.

It returns the number of arguments in CUDA, and that of characters in HIP.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport.diagnostics import Diagnostic, Severity
from hipport.translate.dataflow.function import text_of
from hipport.translate.hazards import wavefront
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

_VALUE = "printf returns the number of characters in device code of HIP, and the number of arguments in CUDA"
_COUNT = "Do not use the value, or count the arguments yourself. Both are negative after an error."
_COMPARISONS = frozenset({"<", ">="})
WORDS = frozenset({"printf"})


def run(work: Work) -> Iterator[Diagnostic]:
    """Note the first `printf` of a file in a device-only function, and report each whose value is used."""
    noted = False
    for function in wavefront.device_functions(work, WORDS):
        for call in work.warps.calls(function, WORDS):
            if not (noted or function.host):
                noted = True
                yield _note(work, call)
            if _is_used(work, call):
                yield work.report(wavefront.span(call), "HP238", Severity.WARNING, _VALUE, _COUNT)


def _note(work: Work, call: Node) -> Diagnostic:
    message = "printf in device code calls the host on AMD GPUs: it costs time and registers even if never reached"
    advice = "Leave it out of release builds. cudaLimitPrintfFifoSize does not set its buffer size."
    return work.report(wavefront.span(call), "HP215", Severity.NOTE, message, advice)


def _is_used(work: Work, call: Node) -> bool:
    """Return whether more than the sign of a call's value is used."""
    node, around = call, work.unit.parent(call)
    while around is not None:
        kind = around.type
        if kind == "binary_expression" and text_of(around.child_by_field_name("operator")) in _COMPARISONS:
            return text_of(around.child_by_field_name("right")) != "0"
        if kind == "comma_expression" and around.child_by_field_name("left") == node:
            return False
        if kind == "cast_expression" and text_of(around.child_by_field_name("type")) == "void":
            return False
        if kind == "conditional_expression" and around.child_by_field_name("condition") == node:
            return True
        if kind not in ("parenthesized_expression", "comma_expression", "conditional_expression"):
            return kind not in ("expression_statement", "for_statement")
        node, around = around, work.unit.parent(around)
    return False
