"""HP230: functions that call each other and take a warp for different numbers of lanes."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.diagnostics import Diagnostic, Severity
from hipport.files.facts import Kind
from hipport.translate.dataflow.called_names import may_show
from hipport.translate.dataflow.lanes import Lanes
from hipport.translate.dataflow.signs import Disagreement, Sign
from hipport.translate.hazards import wavefront
from hipport.translate.work import Work

WORDS = frozenset({"__global__", "__device__"})
_ADVICE = "Use 32 in both for logical warps of 32 lanes, or warpSize in both for whole wavefronts."


def run(work: Work) -> Iterator[Diagnostic]:
    """Report calls between functions that assume warps of 32 lanes and of the hardware's size."""
    if wavefront.only_32(work) or not _may_disagree(work):
        return
    for found in work.conventions.disagreements():
        yield work.report(found.place, "HP230", Severity.ERROR, _message(found), _ADVICE)


def _may_disagree(work: Work) -> bool:
    told = {fact.value.partition(":")[0] for fact in work.facts(Kind.SIGN)}
    wave = "warpSize" in work.unit.words or "0" in told
    return wave and (may_show(work.unit) or "32" in told)


def _message(found: Disagreement) -> str:
    first, second = _lanes(found.first), _lanes(found.second)
    return f"a warp has {second}, but {first}: they differ on wavefronts of 64"


def _lanes(sign: Sign) -> str:
    lanes = "32 lanes" if sign.lanes is Lanes.LOGICAL_32 else "warpSize lanes"
    return f"{lanes} in '{sign.function}' ({sign.file}:{sign.line})"
