"""HP203: a 32-bit lane mask where a ballot has 64 bits."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic
from hipport.source import Replace
from hipport.translate.dataflow.function import Function, text_of, walk
from hipport.translate.dataflow.origins import ballots
from hipport.translate.hazards import wavefront
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

WORDS = wavefront.MASK_WORDS
_MEETING = frozenset({"==", "!=", "&"})
_ONE = re.compile(r"1[uU]?\Z")


def run(work: Work) -> Iterator[Diagnostic]:
    """Report 32-bit masks that are compared or combined with the ballot of a whole wavefront."""
    if wavefront.only_32(work) or not wavefront.may_hold_ballots(work):
        return
    for function in wavefront.mask_functions(work):
        for node in function.of_type("binary_expression"):
            operator = node.child_by_field_name("operator")
            if operator is not None and operator.type in _MEETING and len(node.named_children) == 2:
                first, second = node.named_children
                yield from _meet(work, function, first, second)
                yield from _meet(work, function, second, first)


def _meet(work: Work, function: Function, ballot: Node, mask: Node) -> Iterator[Diagnostic]:
    number = work.flow.constant(mask, function)
    literal = number is not None and -(1 << 31) <= number < 1 << 32 and bool(number & 1 << 31)
    one = None if literal else _shifted_one(mask)
    if not literal and one is None:
        return
    if any(wavefront.is_whole(work, call) for call in ballots(work.flow, ballot, function)):
        yield _full(work, mask) if one is None else _single(work, mask, one)


def _full(work: Work, mask: Node) -> Diagnostic:
    message = f"{text_of(mask)} does not cover all lanes of a wavefront"
    advice = "Use __all(p) or __any(p), or compare with __ballot(1)."
    return work.report(wavefront.span(mask), "HP203", wavefront.severity(work), message, advice)


def _single(work: Work, mask: Node, one: Node) -> Diagnostic:
    message = f"{text_of(mask)} has 32 bits, but the ballot has one for each of up to 64 lanes"
    fix = (Replace(one.start_byte, one.end_byte, "1ull"),)
    return work.report(wavefront.span(mask), "HP203", wavefront.severity(work), message, "Shift 1ull.", fix)


def _shifted_one(mask: Node) -> Node | None:
    """Return the 1 of `1 << lane` and of `(1u << lane) - 1`."""
    for node in walk(mask):
        operator = node.child_by_field_name("operator") if node.type == "binary_expression" else None
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if operator is None or operator.type != "<<" or left is None or right is None:
            continue
        if _ONE.match(text_of(left)) and right.type != "number_literal":
            return left
    return None
