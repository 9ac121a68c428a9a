"""Decomposers of CUB's radix sorts, which give the members of a key as `cuda::std::tuple<int&, float&>`.

hipCUB's sorts take a decomposer since ROCm 6.2, and only one that gives a `hipcub::tuple`. So that becomes the type of
the result, also of `return {key.a, key.b};`, since its constructor is explicit, and `cuda::std::tie` in the body
becomes rocPRIM's, in headers that include CUB also without a sort. Before ROCm 6.2 the decomposer is reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.mappings.life import release
from hipport.source import Edit, Replace, Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.brackets import matching_close, split_arguments, template_close
from hipport.translate.syntax.includes import includes
from hipport.translate.work import Work

_SORTS = frozenset({"DeviceRadixSort", "DeviceSegmentedRadixSort", "BlockRadixSort"})
_TUPLE = re.compile(r"(?:::\s*)?(?:cuda\s*::\s*)?std\s*::\s*tuple(?=\s*<)")
_TIE = re.compile(r"(?:::\s*)?(?:cuda\s*::\s*)?std\s*::\s*tie\b")
_BRACES = re.compile(r"\breturn\s*(?=\{)")
_CALLED = re.compile(r"\s*operator\s*\(\s*\)\s*\(")
_ARROW = re.compile(r"->\s*\Z")
_SINCE = release("6.2.0")
"""The release since which hipCUB's sorts take decomposers."""
WORDS = (frozenset({"tuple"}),)


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Give functions that return a tuple of references hipCUB's tuple, in files with radix sorts."""
    unit, code = work.unit, work.unit.code
    sorts = not unit.words.isdisjoint(_SORTS)
    if is_hip(work) or not (_may_be_sorted(work) if not sorts else "cub" in work.visible_words):
        return
    rocm = work.context.tables.releases.rocm
    for match in _TUPLE.finditer(code):
        opening = code.index("<", match.end())
        close = template_close(code, opening, len(code))
        if close is None or not _is_of_references(code, opening, close) or not (sorts or "cuda" in match[0]):
            continue
        body = _body(code, match.start(), close + 1)
        if body is not None and release(rocm) < _SINCE:
            message = f"hipCUB's radix sorts take no decomposer before ROCm 6.2, and this is for {rocm}"
            advice = "Translate for ROCm 6.2 or newer, or sort by a number that is made of the members."
            yield work.report(Span(match.start(), match.end()), "HP106", Severity.ERROR, message, advice)
        elif body is not None:
            yield Replace(match.start(), match.end(), "hipcub::tuple")
            yield from _made(code, body, f"hipcub::tuple{code[opening : close + 1]}")


def _may_be_sorted(work: Work) -> bool:
    """Return whether a header without sorts includes CUB, so that its decomposers may be for sorts in other files."""
    is_header = work.unit.is_header
    return is_header and any(line.operand.startswith("cub/") for line in includes(work.unit))


def _made(code: str, body: Span, made: str) -> Iterator[Edit]:
    """Make the results in a body of this type."""
    for tie in _TIE.finditer(code, body.start, body.end):
        yield Replace(tie.start(), tie.end(), "rocprim::tie")
    for braces in _BRACES.finditer(code, body.start, body.end):
        yield Replace(braces.end(), braces.end(), made)


def _is_of_references(code: str, opening: int, close: int) -> bool:
    arguments = split_arguments(code, opening + 1, close)
    return bool(arguments) and all(code[each.start : each.end].rstrip().endswith("&") for each in arguments)


def _body(code: str, start: int, end: int) -> Span | None:
    """Return the body of the call operator or lambda that returns the type at this range; None for other types."""
    if _ARROW.search(code, max(0, start - 8), start):
        opening = end
    else:
        called = _CALLED.match(code, end)
        close = matching_close(code, called.end() - 1) if called is not None else None
        if close is None:
            return None
        opening = close + 1
    brace = code.find("{", opening)
    if brace < 0 or ";" in code[opening:brace]:
        return None
    close = matching_close(code, brace)
    return Span(brace, close) if close is not None else None
