"""HP241: generators of random numbers whose numbers for a seed are not cuRAND's."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.diagnostics import Diagnostic, Severity
from hipport.files.facts import Kind
from hipport.source import Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

WORDS = (
    *("curandState", "curandState_t", "curandStateXORWOW", "curandStateXORWOW_t"),
    *("CURAND_RNG_PSEUDO_DEFAULT", "CURAND_RNG_PSEUDO_XORWOW"),
)
"""XORWOW, the default: cuRAND and rocRAND mix the seed with other constants (`rocrand_xorwow.h`)."""
_MESSAGE = "{} is the generator XORWOW, which gives other numbers for the same seed in HIP"
_ADVICE = "Compare statistics, not numbers, or use numbers of the host in a test."


def run(work: Work) -> Iterator[Diagnostic]:
    """Note the first use in a file."""
    if is_hip(work):
        return
    active = work.context.tables.active
    for name, offset in work.unit.occurrences(frozenset(WORDS)):
        if (
            name in active
            and name not in work.told(Kind.NAME)
            and platform_at(work.unit, offset) is not Platform.NVIDIA
        ):
            yield work.report(Span(offset, offset + len(name)), "HP241", Severity.NOTE, _MESSAGE.format(name), _ADVICE)
            return
