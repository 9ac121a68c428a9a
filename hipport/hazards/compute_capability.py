"""HP220: a compute capability compared with a number."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.dataflow.flow import Flow
from hipport.dataflow.function import text_of
from hipport.diagnostics import Diagnostic, Severity
from hipport.hazards import wavefront
from hipport.passes.work import Work
from hipport.source import Span
from hipport.syntax.members import variables
from hipport.syntax.unit import Node

WORDS = frozenset({"major"})
_TYPES = frozenset({"cudaDeviceProp", "hipDeviceProp_t"})
_COMPARISONS = frozenset({"==", "!=", "<", ">", "<=", ">="})
_MAJOR = re.compile(r"(\w+)(?:\s*\[[^]]*\])?\s*(?:\.|->)\s*major\Z")
_CLIMB = frozenset({"binary_expression", "parenthesized_expression"})


def run(work: Work) -> Iterator[Diagnostic]:
    """Report `prop.major >= 7` and `prop.major * 10 + prop.minor < 75`."""
    if work.unit.words.isdisjoint(_TYPES):
        return
    properties = variables(work.unit, _TYPES)
    done: set[int] = set()
    for _, offset in work.unit.occurrences(WORDS):
        node = work.unit.node_at(Span(offset, offset + 5))
        access = node.parent if node is not None else None
        match = _MAJOR.search(text_of(access)) if access is not None and access.type == "field_expression" else None
        comparison = _comparison(work.flow, access) if match is not None and match[1] in properties else None
        if comparison is not None and comparison.start_byte not in done:
            done.add(comparison.start_byte)
            yield _report(work, comparison)


def _comparison(flow: Flow, access: Node | None) -> Node | None:
    """The comparison with a constant other than 0 that the number goes into."""
    child, parent = access, access.parent if access is not None else None
    while parent is not None and parent.type in _CLIMB:
        operator = parent.child_by_field_name("operator")
        if operator is not None and operator.type in _COMPARISONS:
            others = [side for side in parent.named_children if side != child]
            return parent if any((flow.constant(side) or 0) > 0 for side in others) else None
        if operator is not None and operator.type not in ("+", "*"):
            return None
        child, parent = parent, parent.parent
    return None


def _report(work: Work, comparison: Node) -> Diagnostic:
    message = (
        f"{' '.join(text_of(comparison).split())}: on AMD GPUs these are the numbers of the gfx target (9.0 for gfx90a)"
    )
    advice = "Ask for the feature (hipDeviceProp_t::arch, an attribute), or for gcnArchName."
    return work.report(wavefront.span(comparison), "HP220", Severity.WARNING, message, advice)
