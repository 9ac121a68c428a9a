"""HP215: `printf` in device code."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.diagnostics import Diagnostic, Severity
from hipport.translate.hazards import wavefront
from hipport.translate.work import Work

WORDS = frozenset({"printf"})


def run(work: Work) -> Iterator[Diagnostic]:
    """Note the first `printf` of a file in a device-only function."""
    for function in wavefront.device_functions(work, WORDS):
        call = next(work.warps.calls(function, WORDS), None) if not function.host else None
        if call is not None:
            message = (
                "printf in device code calls the host on AMD GPUs: it costs time and registers even if never reached"
            )
            advice = "Leave it out of release builds. cudaLimitPrintfFifoSize does not set its buffer size."
            yield work.report(wavefront.span(call), "HP215", Severity.NOTE, message, advice)
            return
