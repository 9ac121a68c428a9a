"""HP209, HP210: `__launch_bounds__` with a second or third argument."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Span
from hipport.translate.syntax.calls import call_of
from hipport.translate.work import Work

NAME = "__launch_bounds__"
WORDS = frozenset({NAME})


def run(work: Work) -> Iterator[Diagnostic]:
    """Report arguments that HIP interprets differently or does not accept."""
    for _, offset in work.unit.occurrences(WORDS):
        span = Span(offset, offset + len(NAME))
        call = call_of(work.unit, span)
        count = len(call.arguments) if call is not None else 0
        if count == 2:
            message = "the second argument is blocks per multiprocessor in CUDA, but wavefronts per SIMD unit in HIP"
            advice = "It limits registers. Compute it as blocks * threads / wavefront size / SIMD units per CU."
            yield work.report(span, "HP209", Severity.NOTE, message, advice)
        elif count == 3:
            message = "HIP's __launch_bounds__ takes no third argument: AMD GPUs have no thread block clusters"
            yield work.report(span, "HP210", Severity.ERROR, message, "Leave it out.")
