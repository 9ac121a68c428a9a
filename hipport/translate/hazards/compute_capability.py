"""HP220: a compute capability compared with a number."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Span
from hipport.translate.dataflow.flow import Flow
from hipport.translate.dataflow.function import text_of
from hipport.translate.hazards import wavefront
from hipport.translate.syntax.members import variables
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

WORDS = frozenset({"major"})
_TYPES = frozenset({"cudaDeviceProp", "hipDeviceProp_t"})
_COMPARISONS = frozenset({"==", "!=", "<", ">", "<=", ">="})
_MAJOR = re.compile(r"(\w+)(?:\s*\[[^]]*\])?\s*(?:\.|->)\s*major\Z")
_CLIMB = frozenset({"binary_expression", "parenthesized_expression"})
_FIRST, _LAST = 7, 50
"""Compared numbers to report: AMD GPUs have NVIDIA's features up to 6.x and larger numbers; 9999 is no GPU."""


def run(work: Work) -> Iterator[Diagnostic]:
    """Report `prop.major >= 7` and `prop.major * 10 + prop.minor < 75`, once per condition."""
    if work.unit.words.isdisjoint(_TYPES):
        return
    properties = variables(work.unit, _TYPES)
    done: set[int] = set()
    for _, offset in work.unit.occurrences(WORDS):
        node = work.unit.node_at(Span(offset, offset + 5))
        access = work.unit.parent(node) if node is not None else None
        match = _MAJOR.search(text_of(access)) if access is not None and access.type == "field_expression" else None
        comparison = _comparison(work.flow, access) if match is not None and match[1] in properties else None
        if comparison is not None and _condition(comparison).start_byte not in done:
            done.add(_condition(comparison).start_byte)
            yield _report(work, comparison)


def _comparison(flow: Flow, access: Node | None) -> Node | None:
    """Return the comparison with an architecture's number that a device's `major` is an operand of."""
    child, parent, scale = access, flow.unit.parent(access) if access is not None else None, 1
    while parent is not None and parent.type in _CLIMB:
        operator = parent.child_by_field_name("operator")
        others = [side for side in parent.named_children if side != child]
        constants = [value for side in others if (value := flow.constant(side)) is not None]
        if operator is not None and operator.type in _COMPARISONS:
            return parent if any(_FIRST <= value / scale <= _LAST for value in constants) else None
        if operator is not None and operator.type == "*" and constants:
            scale *= max(constants[0], 1)
        elif operator is not None and operator.type != "+":
            return None
        child, parent = parent, flow.unit.parent(parent)
    return None


def _condition(comparison: Node) -> Node:
    """Return the whole condition that a comparison is part of."""
    node = comparison
    while node.parent is not None and node.parent.type in (*_CLIMB, "unary_expression"):
        node = node.parent
    return node


def _report(work: Work, comparison: Node) -> Diagnostic:
    what = " ".join(text_of(comparison).split())
    message = f"{what}: on AMD GPUs this is the version of the gfx target (9.0 for gfx90a)"
    advice = "Query the feature itself (hipDeviceProp_t::arch, an attribute), or gcnArchName."
    return work.report(wavefront.span(comparison), "HP220", Severity.WARNING, message, advice)
