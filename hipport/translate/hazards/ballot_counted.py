"""HP202: `__popc`, `__ffs` and `__clz` of the ballot of a wavefront of 64 lanes."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.diagnostics import Diagnostic
from hipport.source import Edit, Replace
from hipport.translate.dataflow.function import first_child, text_of
from hipport.translate.dataflow.masks import Counted, counted_ballots
from hipport.translate.hazards import wavefront
from hipport.translate.passes.cross_lane import WIDE, is_hip
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

_WIDER = {**WIDE, "__clz": "__clzll", "__brev": "__brevll"}
WORDS = frozenset(_WIDER)


def run(work: Work) -> Iterator[Diagnostic]:
    """Report 32-bit functions on 64-bit masks, except those that the translation replaces."""
    if wavefront.only_32(work):
        return
    translated = frozenset() if is_hip(work) else frozenset(WIDE)
    for counted in counted_ballots(work.flow, WORDS):
        if wavefront.is_whole(work, counted.ballots[0]) and not (counted.safe and counted.function in translated):
            wide = _WIDER[counted.function]
            message = f"{counted.function} takes 32 bits, but a ballot of all lanes has 64"
            advice = f"Use {wide}."
            if counted.function in ("__clz", "__brev"):
                advice = f"Use {wide}, and 63 instead of 31 for the highest lane."
            yield work.report(
                counted.name, "HP202", wavefront.severity(work), message, advice, _fix(work, counted, wide)
            )


def _fix(work: Work, counted: Counted, wide: str) -> tuple[Edit, ...]:
    renamed = Replace(counted.name.start, counted.name.end, wide)
    if counted.function in WIDE:
        return (renamed,)
    outer = work.unit.parent(counted.call)
    if counted.function != "__clz" or outer is None or outer.type != "binary_expression":
        return ()
    highest, operator = _last_term(first_child(outer)), outer.child_by_field_name("operator")
    if highest is not None and operator is not None and operator.type in ("-", "^") and text_of(highest) == "31":
        return (renamed, Replace(highest.start_byte, highest.end_byte, "63"))
    return ()


def _last_term(node: Node | None) -> Node | None:
    """Return the 31 of `first + 31`, the left operand of `- __clz(mask)`."""
    operator = node.child_by_field_name("operator") if node is not None and node.type == "binary_expression" else None
    return node.child_by_field_name("right") if node is not None and operator and operator.type == "+" else node
