"""`#pragma unroll` that nvcc ignores, with a warning, and that is an error for Clang.

The count is not positive, or what follows is no loop. A macro that follows may be one.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.brackets import skip_blanks
from hipport.translate.syntax.lexer import Directive, DirectiveKind
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_COUNT = r"unroll\s*(?:0+|-\s*\d+|\(\s*(?:0+|-\s*\d+)\s*\))\s*"
_PRAGMA = re.compile(rf"\s*{_COUNT}\Z")
_ANY_PRAGMA = re.compile(r"\s*unroll\b")
_OPERATOR = re.compile(rf'_Pragma\s*\(\s*"\s*{_COUNT}"\s*\)'.encode())
_ANY_OPERATOR = re.compile(rb'_Pragma\s*\(\s*"\s*unroll\b[^"\n]*"\s*\)')
_NO_LOOP = re.compile(
    r"[{}*(]|\+\+|--|(?:if|switch|return|break|continue|goto|throw|asm|template|using|typedef|auto|const|constexpr|"
    r"static|volatile|extern|unsigned|signed|bool|char|short|int|long|float|double|void|struct|__shared__|__device__|"
    r"__global__|__host__|__syncthreads)\b|(?!(?:for|while|do)\b)[A-Za-z_]\w*\b\s*(?:[-+*/%&|^]?=|\[|\.|->|[A-Za-z_])"
)
"""Matches the beginning of a statement or declaration that is no loop, whatever its macros are."""
WORDS = (frozenset({"unroll", "_Pragma"}),)


def run(work: Work) -> Iterator[Edit]:
    """Remove the pragma."""
    unit = work.unit
    if is_hip(work):
        return
    for line in unit.directives:
        if _is_ignored(unit, line) and platform_at(unit, line.span.start) is not Platform.NVIDIA:
            yield Replace(line.span.start, line.body.end, "", whole=True)
    for _, offset in unit.occurrences(frozenset({"_Pragma"})):
        operator = _ignored_operator(unit, offset)
        if operator is not None and platform_at(unit, offset) is not Platform.NVIDIA:
            yield Replace(offset, operator.end(), "", whole=True)


def _is_ignored(unit: Unit, line: Directive) -> bool:
    if line.kind is not DirectiveKind.OTHER or line.word != "pragma":
        return False
    if _PRAGMA.match(unit.code, line.body.start, line.body.end):
        return True
    unroll = _ANY_PRAGMA.match(unit.code, line.body.start, line.body.end)
    return unroll is not None and _is_no_loop(unit, line.body.end)


def _ignored_operator(unit: Unit, offset: int) -> re.Match[bytes] | None:
    text = unit.source.text
    found = _ANY_OPERATOR.match(text, offset)
    is_in_code = found is not None and unit.directive_at(offset) is None
    if found is not None and is_in_code and _is_no_loop(unit, found.end()):
        return found
    return _OPERATOR.match(text, offset)


def _is_no_loop(unit: Unit, offset: int) -> bool:
    """Return whether the code behind a pragma is no loop; further pragmas in between are skipped."""
    start = skip_blanks(unit.code, offset)
    while (line := unit.directive_at(start)) is not None and line.word == "pragma":
        start = skip_blanks(unit.code, line.span.end)
    return line is None and _NO_LOOP.match(unit.code, start) is not None
