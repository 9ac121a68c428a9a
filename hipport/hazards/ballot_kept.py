"""HP201: the ballot of a wavefront of 64 lanes kept in 32 bits."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.dataflow.function import Function, Variable
from hipport.dataflow.masks import is_narrow
from hipport.dataflow.names import BALLOTS
from hipport.dataflow.origins import ballots
from hipport.diagnostics import Diagnostic
from hipport.hazards import wavefront
from hipport.passes.work import Work
from hipport.source import Edit, Replace

WORDS = BALLOTS
_WIDE = "unsigned long long"


def run(work: Work) -> Iterator[Diagnostic]:
    """Report variables of 32 bits that are given the ballot of a whole wavefront."""
    if wavefront.only_32(work):
        return
    for function in work.flow.functions(WORDS):
        for variables in function.variables.values():
            for variable in variables:
                if is_narrow(variable) and _holds_ballot(work, function, variable):
                    yield _report(work, variable)


def _holds_ballot(work: Work, function: Function, variable: Variable) -> bool:
    return any(
        wavefront.is_whole(work, ballot) for value in variable.values for ballot in ballots(work.flow, value, function)
    )


def _report(work: Work, variable: Variable) -> Diagnostic:
    message = f"'{variable.name}' has 32 bits for a ballot of all lanes: those of lanes 32 to 63 are lost"
    advice = f"Make it {_WIDE}; count with __popcll, __ffsll and __clzll."
    return work.report(variable.place, "HP201", wavefront.severity(work), message, advice, _fix(variable))


def _fix(variable: Variable) -> tuple[Edit, ...]:
    if variable.parameter or not variable.alone:
        return ()
    return (Replace(variable.type_place.start, variable.type_place.end, _WIDE),)
