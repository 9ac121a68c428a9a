"""`#define CUDA_API_PER_THREAD_DEFAULT_STREAM`: one default stream per thread, renamed where host compilers read it."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Edit, Replace, Span
from hipport.translate.syntax.lexer import DirectiveKind
from hipport.translate.work import Work

_CUDA, _HIP = "CUDA_API_PER_THREAD_DEFAULT_STREAM", "HIP_API_PER_THREAD_DEFAULT_STREAM"
_LAUNCH = "hipLaunchKernelGGL"
"""The form of launches in earlier translations."""
WORDS = (frozenset({_CUDA}),)


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Rename the definition in host code; in device code leave it without effect, as it is for nvcc, and report it.

    nvcc includes CUDA's headers before the first line, so the definition comes too late. HIP's headers would honor it,
    and every kernel would be an error: the compiler does not find the function that launches it.
    """
    device = work.unit.launches or work.unit.shadow.device_words or _LAUNCH in work.unit.words
    for line in work.unit.directives:
        if line.kind is not DirectiveKind.DEFINE or line.name != _CUDA:
            continue
        start = work.unit.code.index(_CUDA, line.span.start)
        span = Span(start, start + len(_CUDA))
        if not device:
            yield Replace(span.start, span.end, _HIP)
            continue
        message = "nvcc ignores this definition in a source with kernels, and so does HIP"
        advice = "For a default stream per thread, compile with -fgpu-default-stream=per-thread."
        yield work.report(span, "HP503", Severity.NOTE, message, advice)
