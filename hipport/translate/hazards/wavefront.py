"""Helpers shared by the wavefront checks."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.diagnostics import Severity
from hipport.files.facts import Kind
from hipport.source import Span
from hipport.translate.dataflow.cross_lane import BALLOTS, COALESCED, CROSS_LANE
from hipport.translate.dataflow.function import Function, first_child
from hipport.translate.dataflow.lanes import Lanes, is_member
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.side_words import mentions_sides
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

_THROUGH = frozenset({"pointer_expression", "subscript_expression", "parenthesized_expression", "binary_expression"})


def only_32(work: Work) -> bool:
    """Return whether the code is for wavefronts of 32 lanes only."""
    return work.context.options.wave_size == 32


def severity(work: Work) -> Severity:
    """Return the severity of faults on wavefronts of 64: an error if the code targets those, else a warning."""
    return Severity.ERROR if work.context.options.wave_size == 64 else Severity.WARNING


def is_whole(work: Work, call: Node) -> bool:
    """Return whether a cross-lane call works on the whole wavefront once it is translated.

    Groups of active lanes have up to 32 in what is translated (`hipport.translate.passes.coalesced_threads`).
    """
    if is_hip(work):
        return True
    return not is_member(call) and work.warps.at(call, call.start_byte) is Lanes.WAVEFRONT


def span(node: Node) -> Span:
    return Span(node.start_byte, node.end_byte)


def device_functions(work: Work, words: frozenset[str]) -> Iterator[Function]:
    """Return the functions that run on the device, or are macros, and mention one of the words."""
    if not (work.unit.shadow.device_words or work.unit.macros or mentions_sides(work.unit)):
        return iter(())
    return (function for function in work.flow.functions(words) if function.device)


MASK_WORDS = BALLOTS | COALESCED | {"__global__", "__device__"}
"""Words of files that may hold ballots, their own or those of functions in files that they include."""


def may_hold_ballots(work: Work) -> bool:
    """Return whether a file, or a file that it includes, has ballots."""
    own = not work.unit.words.isdisjoint(BALLOTS | COALESCED)
    return own or bool(work.told(Kind.BALLOT))


def mask_functions(work: Work) -> tuple[Function, ...]:
    """Return the functions that may hold ballots: their own, and those of functions that they call or are called by."""
    known = work.flow.notes["mask functions"]
    if None not in known:
        known[None] = _mask_functions(work)
    found: tuple[Function, ...] = known[None]
    return found


def _mask_functions(work: Work) -> tuple[Function, ...]:
    sources = BALLOTS | COALESCED | work.flow.told.ballots
    found = {function.span.start: function for function in work.flow.functions(sources)}
    graph = work.conventions.graph
    for neighbours in (graph.callers, graph.callees) if graph.functions else ():
        waiting = [*found.values()]
        while waiting:
            function = waiting.pop()
            name = function.name or graph.owner(function)
            fresh = [other for other in neighbours.get(name, ()) if other.span.start not in found]
            found |= {other.span.start: other for other in fresh}
            waiting += fresh
    return tuple(found[start] for start in sorted(found))


def exchanging(work: Work) -> frozenset[str]:
    """Return the names of functions that exchange values between lanes, themselves or through others of the file."""
    found = {
        function.name
        for function in work.flow.functions(CROSS_LANE)
        if function.name not in CROSS_LANE and any(True for _ in work.warps.exchanges(function))
    } - {""}
    grown = True
    while grown:
        callers = {function.name for function in work.flow.functions(found) if function.device}
        grown = not callers <= found
        found |= callers
    return frozenset(found)


def addressed(call: Node) -> Node | None:
    """Return what the first argument of a call, an address, is made of: `a` of `&a[i]`, of `a + i` and of `(a)`."""
    node = first_child(call.child_by_field_name("arguments"))
    while node is not None and node.type in _THROUGH:
        node = node.child_by_field_name("argument") or first_child(node)
    return node
