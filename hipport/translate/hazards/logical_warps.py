"""HP205: warps of 32 lanes, which the translation keeps as halves of a wavefront of 64."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.diagnostics import Diagnostic, Severity
from hipport.translate.dataflow.cross_lane import CROSS_LANE
from hipport.translate.dataflow.function import Function
from hipport.translate.dataflow.lanes import Lanes
from hipport.translate.hazards import wavefront
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

WORDS = CROSS_LANE
_ADVICE = "This is correct as it is. With warpSize instead, it would use all lanes of a wavefront of 64."


def run(work: Work) -> Iterator[Diagnostic]:
    """Note each function that assumes warps of 32 lanes and exchanges values between them."""
    if wavefront.only_32(work) or is_hip(work):
        return
    names = wavefront.exchanging(work)
    if not names:
        return
    for function in wavefront.device_functions(work, CROSS_LANE | names):
        if not function.macro and work.warps.of(function) is Lanes.LOGICAL_32:
            place = _place(work, function, names)
            if place is not None:
                message = "logical warps of 32 lanes: on wavefronts of 64, each half is one"
                yield work.report(wavefront.span(place), "HP205", Severity.NOTE, message, _ADVICE)


def _place(work: Work, function: Function, names: frozenset[str]) -> Node | None:
    """Return where an exchanging function splits the thread index, else where it exchanges values itself."""
    split = next(work.warps.splits(function), None)
    own = next(work.warps.exchanges(function), None)
    if split is not None:
        return split if own is not None or next(work.warps.calls(function, names), None) is not None else None
    return own
