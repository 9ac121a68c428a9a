"""HP238: uses of what `printf` returns in device code: the number of arguments in CUDA, of characters in HIP."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.diagnostics import Diagnostic, Severity
from hipport.translate.dataflow.function import text_of
from hipport.translate.hazards import wavefront
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

WORDS = frozenset({"printf", "vprintf"})
_MESSAGE = "printf returns the number of characters in device code of HIP, and the number of arguments in CUDA"
_ADVICE = "Do not use the value, or count the arguments yourself. Both are negative after an error."
_COMPARISONS = frozenset({"<", ">="})


def run(work: Work) -> Iterator[Diagnostic]:
    """Report calls whose value is used."""
    for function in wavefront.device_functions(work, WORDS):
        for call in work.warps.calls(function, WORDS):
            if _is_used(work, call):
                yield work.report(wavefront.span(call), "HP238", Severity.WARNING, _MESSAGE, _ADVICE)


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
