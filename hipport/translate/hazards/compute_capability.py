"""HP220: a compute capability compared with a number."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Span
from hipport.translate.dataflow.flow import COMPARISONS, Flow
from hipport.translate.dataflow.function import Function, text_of
from hipport.translate.hazards import wavefront
from hipport.translate.syntax.members import variables
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

_QUERIES = frozenset({"cudaDeviceGetAttribute", "cuDeviceGetAttribute", "cuDeviceComputeCapability"})
WORDS = _QUERIES | {"major"}
_TYPES = frozenset({"cudaDeviceProp", "hipDeviceProp_t"})
_MAJOR = re.compile(r"(\w+)(?:\s*\[[^]]*\])?\s*(?:\.|->)\s*major\Z")
_ATTRIBUTE = re.compile(r"(?:cudaDevAttrComputeCapabilityMajor|CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)\b")
_CLIMB = frozenset({"binary_expression", "parenthesized_expression"})
_FIRST, _LAST = 7, 50
"""Compared numbers to report: AMD GPUs have NVIDIA's features up to 6.x and larger numbers; 9999 is no GPU."""


class _Value(Struct, frozen=True):
    """An expression that holds a `major`, multiplied by a number: `10 * prop.major + prop.minor` by 10."""

    node: Node
    scale: float


def run(work: Work) -> Iterator[Diagnostic]:
    """Report `prop.major >= 7`, `prop.major * 10 + prop.minor < 75` and `switch (prop.major)`, once per condition.

    So are variables that get such a number, or the attribute of a device.
    """
    done: set[int] = set()
    for value in [*_members(work), *_queried(work)]:
        for each in (value, *_kept(work, value)):
            found = _comparison(work.flow, each) or _switch(work, each)
            if found is not None and _condition(found).start_byte not in done:
                done.add(_condition(found).start_byte)
                yield _report(work, found)


def _members(work: Work) -> Iterator[_Value]:
    """Yield the accesses to the member `major` of a device's properties."""
    if work.unit.words.isdisjoint(_TYPES):
        return
    properties = variables(work.unit, _TYPES)
    for _, offset in work.unit.occurrences(frozenset({"major"})):
        node = work.unit.node_at(Span(offset, offset + 5))
        access = work.unit.parent(node) if node is not None else None
        match = _MAJOR.search(text_of(access)) if access is not None and access.type == "field_expression" else None
        if access is not None and match is not None and match[1] in properties:
            yield _Value(access, 1)


def _queried(work: Work) -> Iterator[_Value]:
    """Yield the uses of variables into which a query writes it."""
    for function in work.flow.functions(_QUERIES & work.unit.words):
        for name, call in function.named_calls:
            arguments = call.child_by_field_name("arguments") if name in _QUERIES else None
            given = [text_of(one) for one in arguments.named_children] if arguments is not None else []
            asked = name == "cuDeviceComputeCapability" or (len(given) == 3 and _ATTRIBUTE.match(given[1]))
            if asked and given and given[0].startswith("&"):
                yield from _uses(work, function, given[0][1:].strip(), call.end_byte, 1)


def _kept(work: Work, value: _Value) -> Iterator[_Value]:
    """Yield the uses of a variable that is set to a value."""
    top, scale = _whole(work.flow, value)
    parent = work.unit.parent(top)
    function = work.flow.function_at(top.start_byte)
    if parent is None or function is None or parent.type not in ("init_declarator", "assignment_expression"):
        return
    target = parent.child_by_field_name("declarator") or parent.child_by_field_name("left")
    if target is not None and target.type == "identifier":
        yield from _uses(work, function, text_of(target), parent.end_byte, scale)


def _uses(work: Work, function: Function, name: str, start: int, scale: float) -> Iterator[_Value]:
    for node in function.of_type("identifier"):
        if node.start_byte >= start and text_of(node) == name:
            yield _Value(node, scale)


def _whole(flow: Flow, value: _Value) -> tuple[Node, float]:
    """Return the sum around a value, and by what the value is multiplied in it."""
    child, scale = value.node, value.scale
    parent = flow.unit.parent(child)
    while parent is not None and parent.type in _CLIMB:
        operator = text_of(parent.child_by_field_name("operator"))
        factor = next((flow.constant(side) for side in parent.named_children if side != child), None)
        first = child == parent.child_by_field_name("left")
        if operator == "*" and factor:
            scale *= factor
        elif operator == "/" and factor and first:
            scale /= factor
        elif operator == "<<" and factor is not None and 0 <= factor < 32 and first:
            scale *= 1 << factor
        elif operator not in ("", "+"):
            break
        child, parent = parent, flow.unit.parent(parent)
    return child, scale


def _is_of_gpu(number: int | None, scale: float) -> bool:
    return number is not None and _FIRST <= number / scale <= _LAST


def _comparison(flow: Flow, value: _Value) -> Node | None:
    """Return the comparison of a value with an architecture's number."""
    top, scale = _whole(flow, value)
    parent = flow.unit.parent(top)
    if parent is None or text_of(parent.child_by_field_name("operator")) not in COMPARISONS:
        return None
    sides = [side for side in parent.named_children if side != top]
    return parent if any(_is_of_gpu(flow.constant(side), scale) for side in sides) else None


def _switch(work: Work, value: _Value) -> Node | None:
    """Return what a switch with cases for architectures looks at."""
    top, scale = _whole(work.flow, value)
    clause = work.unit.parent(top)
    switch = work.unit.parent(clause) if clause is not None and clause.type == "condition_clause" else None
    body = switch.child_by_field_name("body") if switch is not None and switch.type == "switch_statement" else None
    cases = [node.child_by_field_name("value") for node in body.named_children] if body is not None else []
    return top if any(_is_of_gpu(work.flow.constant(case), scale) for case in cases) else None


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
