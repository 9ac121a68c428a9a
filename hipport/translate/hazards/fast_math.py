"""HP226: fast math functions, whose approximations differ on AMD GPUs."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.diagnostics import Diagnostic, Severity
from hipport.translate.hazards import wavefront
from hipport.translate.work import Work

_FUNCTIONS = {f"__{name}f" for name in ("exp", "exp10", "log", "log2", "log10", "pow", "sin", "cos", "sincos", "tan")}
WORDS = frozenset(_FUNCTIONS | {"__fdividef"})


def run(work: Work) -> Iterator[Diagnostic]:
    """Note the first call of a file."""
    for function in wavefront.device_functions(work, WORDS):
        call = next(work.warps.calls(function, WORDS), None)
        if call is not None:
            message = "fast math functions have different errors on AMD GPUs; some are the precise functions"
            advice = "Compare results with a tolerance. The page of this code has the options for -use_fast_math."
            yield work.report(wavefront.span(call), "HP226", Severity.NOTE, message, advice)
            return
