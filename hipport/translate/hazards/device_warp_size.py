"""HP219: host code that requires a device with warps of 32 lanes."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Span
from hipport.translate.dataflow.flow import Flow
from hipport.translate.dataflow.function import text_of
from hipport.translate.hazards import wavefront
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

WORDS = frozenset({"warpSize"})
_MEMBER = re.compile(r"(?:\.|->)\s*warpSize\Z")


def run(work: Work) -> Iterator[Diagnostic]:
    """Report `prop.warpSize == 32` and the like."""
    if wavefront.only_32(work):
        return
    for _, offset in work.unit.occurrences(WORDS):
        node = work.unit.enclosing(Span(offset, offset + 8), "field_expression")
        comparison = work.unit.parent(node) if node is not None and _MEMBER.search(text_of(node)) else None
        if comparison is not None and comparison.type == "binary_expression" and _with_32(work.flow, comparison):
            message = "the warp size is compared with 32, but is 64 on gfx9 (all of AMD's data center GPUs)"
            advice = "Check for what the code needs: code for 32 lanes may also work with a multiple of 32."
            yield work.report(wavefront.span(comparison), "HP219", Severity.WARNING, message, advice)


def _with_32(flow: Flow, comparison: Node) -> bool:
    operator = comparison.child_by_field_name("operator")
    compares = operator is not None and operator.type in ("==", "!=", "<", ">", "<=", ">=")
    return compares and any(flow.constant(side) == 32 for side in comparison.named_children)
