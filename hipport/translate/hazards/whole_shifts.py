"""HP240: a shift by as many bits as the number has, whose result is 0 on NVIDIA GPUs only."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Edit, Wrap
from hipport.translate.dataflow.function import Function, text_of, walk
from hipport.translate.dataflow.index_forms import Indices
from hipport.translate.hazards import wavefront
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

WORDS = frozenset({"threadIdx", "thread_rank", "laneId", "lane_id", "laneid", "__lane_id"})
_LANE = re.compile(
    r"\(*threadIdx\.x\)*(?:%\(?(?:32|warpSize)\)?|&\(?(?:31|0x1[fF]|\(?warpSize-1\)?)\)?)[uU]?\Z"
    r"|(?:\w+::)*(?:__)?(?:[gG]et_?)?[lL]ane_?[iI]d\w*\(\)\Z|lane_?[iI]d\Z"
)
"""Matches the number of a lane, 0 to 31."""
_SIZE = "warpSize"
_LAST = 31
_LITERAL = re.compile(r"(?:[~-]\s*)?(?:0[xX][0-9a-fA-F]+|\d+)[uU]?\Z")
_UNSIGNED = re.compile(r"(?:unsigned(?:\s+int)?|(?:std::)?uint32_t|u_?int)\Z")
_GUARDS = frozenset({"conditional_expression", "if_statement", "while_statement", "for_statement"})


def run(work: Work) -> Iterator[Diagnostic]:
    """Report shifts of 32-bit numbers by up to 32: `0xffffffff >> (32 - lane)`, `(1u << (lane + 1)) - 1`."""
    for function in wavefront.device_functions(work, WORDS):
        indices = Indices(work.flow, function)
        for node in function.of_type("binary_expression"):
            operator, left, right = (node.child_by_field_name(name) for name in ("operator", "left", "right"))
            if operator is None or left is None or right is None or operator.type not in ("<<", ">>"):
                continue
            if _most(indices, right) != _LAST + 1 or not _has_32_bits(work, function, left):
                continue
            if not _is_guarded(work, function, node, right) and not _is_rotation(work, node):
                yield _report(work, function, node, left, operator.type)


def _most(indices: Indices, amount: Node) -> int | None:
    """Return the most that an amount can be if it depends on a lane in a known way."""
    most, lanes = 0, 0
    for term, factor in indices.form(amount).terms:
        if not term or term == _SIZE:
            most += factor if not term else 32 * factor
        elif _LANE.match(term) and abs(factor) == 1:
            lanes += 1
            most += _LAST if factor > 0 else 0
        else:
            return None
    return most if lanes == 1 else None


def _has_32_bits(work: Work, function: Function, value: Node) -> bool:
    """Return whether a number is known to have 32 bits."""
    while value.type == "parenthesized_expression" and value.named_child_count == 1:
        value = value.named_children[0]
    text = text_of(value)
    if value.type == "identifier":
        variable = function.variable(text, value.start_byte)
        if variable is None or variable.pointer or variable.sizes:
            return False
        return variable.type == "int" or _UNSIGNED.match(variable.type) is not None
    number = work.flow.constant(value, function)
    return number is not None and _LITERAL.match(text) is not None and -(1 << 31) <= number < 1 << 32


def _is_guarded(work: Work, function: Function, shift: Node, amount: Node) -> bool:
    """Return whether a condition around a shift looks at what its amount depends on."""
    names = {text_of(node) for node in walk(amount) if node.type in ("identifier", "field_expression")}
    child, parent = shift, work.unit.parent(shift)
    while parent is not None and child != function.body:
        if parent.type in _GUARDS:
            condition = parent.child_by_field_name("condition")
            parts = walk(condition) if condition is not None and condition != child else ()
            if not names.isdisjoint(map(text_of, parts)):
                return True
        child, parent = parent, work.unit.parent(parent)
    return False


def _is_rotation(work: Work, shift: Node) -> bool:
    """Return whether the other bits of the same number are joined: `x << n | x >> (32 - n)`, which is right for 0."""
    parent = work.unit.parent(shift)
    while parent is not None and parent.type == "parenthesized_expression":
        parent = work.unit.parent(parent)
    if parent is None or parent.type != "binary_expression":
        return False
    own = text_of(shift.child_by_field_name("left"))
    return text_of(parent.child_by_field_name("operator")) == "|" and any(
        side.start_byte > shift.start_byte or side.end_byte < shift.end_byte
        for side in walk(parent)
        if side.type == "binary_expression" and side != shift and text_of(side.child_by_field_name("left")) == own
    )


def _report(work: Work, function: Function, shift: Node, left: Node, operator: str) -> Diagnostic:
    message = (
        f"{' '.join(text_of(shift).split())} shifts by 32 in one lane: 0 on NVIDIA GPUs, no shift at all on AMD GPUs"
    )
    advice = "Shift a number of 64 bits, or treat that lane by itself."
    fix = tuple(_fix(work, function, shift, left, operator))
    return work.report(wavefront.span(shift), "HP240", Severity.WARNING, message, advice, fix)


def _fix(work: Work, function: Function, shift: Node, left: Node, operator: str) -> Iterator[Edit]:
    """Yield edits that shift in 64 bits, for unsigned numbers; to the left for others, too."""
    text = text_of(left)
    variable = function.variable(text, left.start_byte) if left.type == "identifier" else None
    number = work.flow.constant(left, function)
    if variable is not None:
        unsigned = _UNSIGNED.match(variable.type) is not None
    else:
        unsigned = text[-1:] in "uU" or (number is not None and number > 0x7FFFFFFF)
    if unsigned or operator == "<<":
        yield Wrap(shift.start_byte, shift.end_byte, "(unsigned)(" if unsigned else "(int)(", ")")
        yield Wrap(left.start_byte, left.end_byte, "(unsigned long long)", "")
