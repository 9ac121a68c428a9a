"""`__CUDA_ARCH__`: a test whether device code is being compiled, or a test for what an NVIDIA GPU can do."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.diagnostics import Diagnostic, Severity
from hipport.passes.work import Work
from hipport.source import Edit, Replace, Span, Wrap
from hipport.syntax.branches import Branches, branches_of
from hipport.syntax.lexer import Directive, DirectiveKind

MACRO = "__CUDA_ARCH__"
DEVICE_MACRO = "__HIP_DEVICE_COMPILE__"

NEWEST_COMMON = 620
"""AMD's GPUs have what NVIDIA's have up to this architecture: shuffles, half arithmetic, double atomics, dp4a.

From 700 on the tests ask for tensor cores, asynchronous copies and the like.
"""

_DEFINED = re.compile(r"\bdefined\s*\(?\s*$")
_COMPARED = re.compile(r"\s*\)*\s*(?:[<>=!]=|[<>+\-*/%])")
_COMPARED_BEFORE = re.compile(r"(?:[<>=!]=|[<>+\-*/%])\s*\(*\s*$")
_RIGHT = re.compile(r"\s*(?P<op>[<>]=?)\s*(?P<number>\d+)\b(?!\s*[+\-*/%])")
_LEFT = re.compile(r"(?<![\w+\-*/%])(?P<number>\d+)\s*(?P<op>[<>]=?)\s*\Z")
_DONE = re.compile(r"\s*(?:\|\|\s*|&&\s*!\s*)defined\s*\(\s*" + DEVICE_MACRO)
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Translate the tests for device code and those for an architecture whose features AMD GPUs have."""
    for reference in work.references.found:
        if reference.entry.name != MACRO:
            continue
        line = work.unit.directive_at(reference.span.start)
        if line is None or line.kind is DirectiveKind.DEFINE:
            advice = "Use __HIP_DEVICE_COMPILE__ or a __gfx...__ macro."
            yield work.report(reference.span, "HP104", Severity.ERROR, f"{MACRO} is not defined by HIP", advice)
        elif line.kind is DirectiveKind.CONDITION:
            yield from _condition(work, line, reference.span)


def _condition(work: Work, line: Directive, span: Span) -> Iterator[Edit | Diagnostic]:
    if _asks_for_device(work, line, span):
        yield Replace(span.start, span.end, DEVICE_MACRO)
        return
    comparison = _comparison(work, line, span)
    if comparison is None:
        yield _left(work, span)
        return
    where, asks_for_new, number = comparison
    if _DONE.match(work.unit.code, where.end):
        return
    if number <= NEWEST_COMMON or _has_no_alternative(work, line, asks_for_new):
        also = f" || defined({DEVICE_MACRO}))" if asks_for_new else f" && !defined({DEVICE_MACRO}))"
        yield Wrap(where.start, where.end, "(", also)
        what = "the newer" if asks_for_new else "the other"
        message = f"AMD GPUs take {what} branch of this test of {MACRO}"
        yield work.report(span, "HP104", Severity.NOTE, message)
    else:
        yield _left(work, span)


def _asks_for_device(work: Work, line: Directive, span: Span) -> bool:
    """`#ifdef X`, `defined(X)` and `X` as a truth value ask for device code; a comparison asks for an architecture."""
    before = work.unit.code[line.body.start : span.start]
    after = work.unit.code[span.end : line.span.end]
    if line.word not in ("if", "elif") or _DEFINED.search(before):
        return True
    return not _COMPARED.match(after) and not _COMPARED_BEFORE.search(before)


def _comparison(work: Work, line: Directive, span: Span) -> tuple[Span, bool, int] | None:
    """The comparison with a number: where it stands, whether it is true for newer GPUs, and the first of them."""
    code = work.unit.code
    if match := _RIGHT.match(code, span.end, line.span.end):
        operator, where = match["op"], Span(span.start, match.end())
    elif match := _LEFT.search(code, line.body.start, span.start):
        operator, where = _MIRRORED[match["op"]], Span(match.start(), span.end)
    else:
        return None
    return where, operator[0] == ">", int(match["number"]) + (operator in (">", "<="))


def _has_no_alternative(work: Work, line: Directive, asks_for_new: bool) -> bool:
    """Whether a device function would be left without its code: a test for newer GPUs with nothing for others."""
    branches = branches_of(work.unit, line)
    return asks_for_new and branches is not None and _in_function(work, line) and not _says_anything(work, branches)


def _in_function(work: Work, line: Directive) -> bool:
    node = work.unit.tree.descendant_for_byte_range(line.span.start, line.span.start)
    while node is not None and node.type != "function_definition":
        node = node.parent
    return node is not None


_IDLE = re.compile(r"\b(?:assert|printf|trap|__trap|return)\b[^;]*;|[;{}\s]")


def _says_anything(work: Work, branches: Branches) -> bool:
    """Whether the branches behind the first do anything but complain."""
    return any(_IDLE.sub("", work.unit.code[span.start : span.end]) for span in branches.others)


def _left(work: Work, span: Span) -> Diagnostic:
    message = f"{MACRO} is not defined by HIP and counts as 0 here, so the branch for the oldest GPUs is taken"
    advice = "Choose the branch for AMD GPUs with __HIP_DEVICE_COMPILE__, or test a feature such as __gfx90a__."
    return work.report(span, "HP104", Severity.WARNING, message, advice)
