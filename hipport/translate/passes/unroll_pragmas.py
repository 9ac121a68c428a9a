"""`#pragma unroll 0`: nvcc ignores a count that is not positive, with a warning; for Clang it is an error."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.lexer import DirectiveKind
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

_COUNT = r"unroll\s*(?:0+|-\s*\d+|\(\s*(?:0+|-\s*\d+)\s*\))\s*"
_PRAGMA = re.compile(rf"\s*{_COUNT}\Z")
_OPERATOR = re.compile(rf'_Pragma\s*\(\s*"\s*{_COUNT}"\s*\)'.encode())
WORDS = (frozenset({"unroll", "_Pragma"}),)


def run(work: Work) -> Iterator[Edit]:
    """Remove the pragma."""
    unit = work.unit
    if is_hip(work):
        return
    for line in unit.directives:
        is_pragma = line.kind is DirectiveKind.OTHER and line.word == "pragma"
        ignored = is_pragma and _PRAGMA.match(unit.code, line.body.start, line.body.end)
        if ignored and platform_at(unit, line.span.start) is not Platform.NVIDIA:
            yield Replace(line.span.start, line.body.end, "")
    for _, offset in unit.occurrences(frozenset({"_Pragma"})):
        operator = _OPERATOR.match(unit.source.text, offset)
        if operator is not None and platform_at(unit, offset) is not Platform.NVIDIA:
            yield Replace(offset, operator.end(), "")
