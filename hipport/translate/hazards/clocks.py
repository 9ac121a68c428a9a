"""HP217: device clocks, which count in different units."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.diagnostics import Diagnostic, Severity
from hipport.translate.hazards import wavefront
from hipport.translate.work import Work

WORDS = frozenset({"clock", "clock64"})


def run(work: Work) -> Iterator[Diagnostic]:
    """Note the first use in each device function."""
    for function in wavefront.device_functions(work, WORDS):
        call = next(work.warps.calls(function, WORDS), None) if not function.host else None
        if call is not None:
            message = "clock64 and clock tick at a rate that cudaDevAttrClockRate does not return"
            advice = "To measure time, use wall_clock64() with hipDeviceAttributeWallClockRate (ROCm 5.4 and later)."
            yield work.report(wavefront.span(call), "HP217", Severity.NOTE, message, advice)
