"""Preprocessor tests for CUDA features: `__CUDA_ARCH__`, `CUDART_VERSION` and their like.

HIP defines none of these macros, so every comparison would choose the branch for the oldest GPU or release.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Edit, Replace, Span, Wrap
from hipport.translate.passes import hip_branches
from hipport.translate.references import Reference
from hipport.translate.syntax.brackets import skip_blanks, skip_blanks_back
from hipport.translate.syntax.branches import Branches, branches_of
from hipport.translate.syntax.lexer import Directive, DirectiveKind
from hipport.translate.work import Work


@dataclass(frozen=True, slots=True)
class _Macro:
    """A CUDA version macro: `present` is defined where an AMD compiler should pass tests for values up to `newest`."""

    present: str
    newest: int


_DEVICE, _PLATFORM = "__HIP_DEVICE_COMPILE__", "__HIP_PLATFORM_AMD__"
_MACROS = {
    # AMD's GPUs have the features of NVIDIA's up to 6.2: shuffles, half arithmetic, double atomics, dp4a. From 7.0 on,
    # tests are for tensor cores, asynchronous copies and the like.
    "__CUDA_ARCH__": _Macro(_DEVICE, 620),
    # HIP's functions match CUDA 12: texture objects, no texture references; signatures from before CUDA 13.
    "CUDART_VERSION": _Macro(_PLATFORM, 12999),
    "CUDA_VERSION": _Macro(_PLATFORM, 12999),
    "__CUDACC_VER_MAJOR__": _Macro(_PLATFORM, 12),
    # hipBLAS and hipSPARSE match CUDA 12, the others CUDA 11 without the 64-bit interface.
    "CUBLAS_VERSION": _Macro(_PLATFORM, 129999),
    "CUSPARSE_VERSION": _Macro(_PLATFORM, 12999),
    "CUSOLVER_VERSION": _Macro(_PLATFORM, 10999),
    "CUFFT_VERSION": _Macro(_PLATFORM, 10999),
    "CURAND_VERSION": _Macro(_PLATFORM, 10399),
}

_DEFINED = re.compile(r"\bdefined\s*\(?\s*$")
_FARTHEST = 256
"""How far before and after a name to look for a comparison, in characters of its line."""
_COMPARED = re.compile(r"\s*\)*\s*(?:[<>=!]=|[<>+\-*/%])")
_COMPARED_BEFORE = re.compile(r"(?:[<>=!]=|[<>+\-*/%])\s*\(*\s*$")
_RIGHT = re.compile(r"\s*(?P<op>[<>]=?)\s*(?P<number>\d+)\b(?!\s*[+\-*/%])")
_LEFT = re.compile(r"(?<![\w+\-*/%])(?P<number>\d+)\s*(?P<op>[<>]=?)\s*\Z")
_DONE = re.compile(rf"\s*(?:\|\|\s*|&&\s*!\s*)defined\s*\(\s*(?:{_DEVICE}|{_PLATFORM})\b")
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


def handles(work: Work, reference: Reference) -> bool:
    """Return whether this pass, not the renaming, handles a reference: a test in an `#if`, or `__CUDA_ARCH__`."""
    line = work.unit.directive_at(reference.span.start)
    tested = line is not None and line.kind is DirectiveKind.CONDITION
    return reference.entry.name == "__CUDA_ARCH__" or (reference.entry.name in _MACROS and tested)


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Translate the tests that AMD's compilers and GPUs pass; report the others."""
    for reference in work.references.found:
        if not handles(work, reference):
            continue
        line = work.unit.directive_at(reference.span.start)
        if line is None or line.kind is DirectiveKind.DEFINE:
            yield from _value(work, reference, in_code=line is None)
        elif line.kind is DirectiveKind.CONDITION:
            yield from _condition(work, line, reference)


def _condition(work: Work, line: Directive, reference: Reference) -> Iterator[Edit | Diagnostic]:
    span, macro = reference.span, _MACROS[reference.entry.name]
    excluded = hip_branches.exclusion(work, line)
    if excluded == hip_branches.LEFT:
        return
    if _asks_for_presence(work, line, span):
        if hip_branches.handles(work, reference):
            return
        yield Replace(span.start, span.end, macro.present)
        return
    comparison = _comparison(work.unit.code, Span(line.body.start, line.span.end), span)
    if comparison is None:
        yield _left(work, reference)
        return
    where, asks_for_new, number = comparison
    if _DONE.match(work.unit.code, where.end):
        return
    if number <= macro.newest or (macro.present == _DEVICE and _has_no_alternative(work, line, asks_for_new)):
        alone = _is_parenthesised(work.unit.code, where)
        platform = f"defined({macro.present})" if not excluded else f"(defined({macro.present}) && {excluded})"
        also = f" {'|| ' if asks_for_new else '&& !'}{platform}"
        yield Wrap(where.start, where.end, "" if alone else "(", also if alone else f"{also})")
        yield _taken(work, reference, asks_for_new)
    else:
        yield _left(work, reference)


def _value(work: Work, reference: Reference, *, in_code: bool) -> Iterator[Edit | Diagnostic]:
    """Replace a comparison in code by its result, if AMD's GPUs match the number; report other uses.

    A macro's text is left unchanged: it may be tested in an `#if`, also for the host.
    """
    code, name = work.unit.code, reference.entry.name
    start, end = max(0, reference.span.start - _FARTHEST), min(len(code), reference.span.end + _FARTHEST)
    line_start, line_end = code.rfind("\n", start, reference.span.start), code.find("\n", reference.span.end, end)
    around = Span(max(start, line_start + 1), line_end if line_end >= 0 else end)
    comparison = _comparison(code, around, reference.span)
    if in_code and comparison is not None and comparison[2] <= _MACROS[name].newest:
        where, asks_for_new, _ = comparison
        yield Replace(where.start, where.end, "true" if asks_for_new else "false")
        yield _taken(work, reference, asks_for_new)
    else:
        advice = f"Use {_DEVICE} or a __gfx...__ macro."
        yield work.report(reference.span, "HP104", Severity.ERROR, f"{name} is not defined by HIP", advice)


def _taken(work: Work, reference: Reference, asks_for_new: bool) -> Diagnostic:
    what = "the newer" if asks_for_new else "the other"
    message = f"AMD compilers select {what} branch of this test of {reference.entry.name}"
    return work.report(reference.span, "HP104", Severity.NOTE, message)


def _is_parenthesised(code: str, span: Span) -> bool:
    before, after = skip_blanks_back(code, span.start), skip_blanks(code, span.end)
    return code[before - 1 : before] == "(" and code[after : after + 1] == ")"


def _asks_for_presence(work: Work, line: Directive, span: Span) -> bool:
    """Return whether `#ifdef X`, `defined(X)` or `X` as a truth value tests presence; a comparison tests the value."""
    code = work.unit.code
    before = code[max(line.body.start, span.start - _FARTHEST) : span.start]
    if line.word not in ("if", "elif") or _DEFINED.search(before):
        return True
    return not _COMPARED.match(code, span.end, line.span.end) and not _COMPARED_BEFORE.search(before)


def _comparison(code: str, around: Span, span: Span) -> tuple[Span, bool, int] | None:
    """Return the comparison with a number: its range, whether newer GPUs pass it, and the first newer number."""
    if match := _RIGHT.match(code, span.end, around.end):
        operator, where = match["op"], Span(span.start, match.end())
    elif match := _LEFT.search(code, max(around.start, span.start - _FARTHEST), span.start):
        operator, where = _MIRRORED[match["op"]], Span(match.start(), span.end)
    else:
        return None
    return where, operator[0] == ">", int(match["number"]) + (operator in (">", "<="))


def _has_no_alternative(work: Work, line: Directive, asks_for_new: bool) -> bool:
    """Return whether a device function would have no code: a test for newer GPUs without an alternative."""
    branches = branches_of(work.unit, line)
    if not asks_for_new or branches is None or _says_anything(work, branches):
        return False
    return (
        _in_function(work, line)
        or _DEVICE_CODE.search(work.unit.code, branches.own.start, branches.own.end) is not None
    )


_DEVICE_CODE = re.compile(r"\b(?:__device__|__global__)\b[^;{}]*\{")
"""Matches a device function with its body, which other code under the same test will call."""


def _in_function(work: Work, line: Directive) -> bool:
    return work.unit.enclosing(Span(line.span.start, line.span.start), "function_definition") is not None


_IDLE = re.compile(r"\b(?:assert|printf|trap|__trap|return)\b[^;]*;|[;{}\s]")


def _says_anything(work: Work, branches: Branches) -> bool:
    """Return whether the later branches do anything but report an error or return."""
    return any(_IDLE.sub("", work.unit.code[span.start : span.end]) for span in branches.others)


def _left(work: Work, reference: Reference) -> Diagnostic:
    name = reference.entry.name
    message = f"{name} is not defined by HIP and is 0 here, which selects the branch for the oldest version"
    advice = f"Select the branch for AMD compilers: test for {_MACROS[name].present}, or for a GPU such as __gfx90a__."
    return work.report(reference.span, "HP104", Severity.WARNING, message, advice)
