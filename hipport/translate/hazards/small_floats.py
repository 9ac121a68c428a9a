"""HP225: 8-bit floats, whose bytes encode other numbers on gfx94x."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Span
from hipport.translate.work import Work

_TYPES = {f"__nv_fp8{count}_{kind}" for count in ("", "x2", "x4") for kind in ("e4m3", "e5m2")}
WORDS = frozenset(_TYPES | {"__NV_E4M3", "__NV_E5M2", "CUDA_R_8F_E4M3", "CUDA_R_8F_E5M2"})


def run(work: Work) -> Iterator[Diagnostic]:
    """Note the first use in a file."""
    first = next((found for found in work.references.found if found.entry.name in WORDS), None)
    if first is None:
        return
    message = "e4m3 and e5m2 are OCP formats; the instructions of gfx94x use FNUZ formats, in which the same bytes"
    message += " are different numbers"
    advice = "gfx950 and gfx12 use OCP formats. On gfx94x, convert the inputs of matrix instructions and libraries."
    span = Span(first.span.start, first.span.end)
    yield work.report(span, "HP225", Severity.NOTE, message, advice)
