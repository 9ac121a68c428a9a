"""`__CUDA_ARCH__`: a test whether device code is being compiled, or a test for what an NVIDIA GPU can do."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.diagnostics import Diagnostic, Severity
from hipport.passes.work import Work
from hipport.source import Edit, Replace, Span
from hipport.syntax.lexer import Directive, DirectiveKind

MACRO = "__CUDA_ARCH__"
DEVICE_MACRO = "__HIP_DEVICE_COMPILE__"

_DEFINED = re.compile(r"\bdefined\s*\(?\s*$")
_COMPARED = re.compile(r"\s*\)*\s*(?:[<>=!]=|[<>+\-*/%])")
_COMPARED_BEFORE = re.compile(r"(?:[<>=!]=|[<>+\-*/%])\s*\(*\s*$")


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Translate the tests for device code; report the tests for an architecture, whose number HIP does not define."""
    for reference in work.references.found:
        if reference.entry.name != MACRO:
            continue
        line = work.unit.directive_at(reference.span.start)
        if line is not None and line.kind is DirectiveKind.CONDITION and _asks_for_device(work, line, reference.span):
            yield Replace(reference.span.start, reference.span.end, DEVICE_MACRO)
        elif line is None or line.kind is not DirectiveKind.OTHER:
            yield _report(work, reference.span, line)


def _asks_for_device(work: Work, line: Directive, span: Span) -> bool:
    """`#ifdef X`, `defined(X)` and `X` as a truth value ask for device code; a comparison asks for an architecture."""
    before = work.unit.code[line.body.start : span.start]
    after = work.unit.code[span.end : line.span.end]
    if line.word not in ("if", "elif") or _DEFINED.search(before):
        return True
    return not _COMPARED.match(after) and not _COMPARED_BEFORE.search(before)


def _report(work: Work, span: Span, line: Directive | None) -> Diagnostic:
    if line is not None and line.kind is DirectiveKind.CONDITION:
        message = f"{MACRO} is not defined by HIP and counts as 0 here, so the branch for the oldest GPUs is taken"
        advice = "Choose the branch for AMD GPUs with __HIP_DEVICE_COMPILE__, or test a feature such as __gfx90a__."
        return work.report(span, "HP104", Severity.WARNING, message, advice)
    message = f"{MACRO} is not defined by HIP"
    return work.report(span, "HP104", Severity.ERROR, message, "Use __HIP_DEVICE_COMPILE__ or a __gfx...__ macro.")
