"""Macros whose body is a `#pragma` line: `#define UNROLL #pragma unroll`, which only nvcc takes for a pragma.

C++ has `_Pragma("unroll")` for that. Pragmas about nvcc's own warnings are left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.lexer import DirectiveKind
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

_BODY = re.compile(r"(?P<front>[\s\\]*)#\s*pragma\s+(?P<text>[^\n\\\"]*[^\s\\\"])\s*\Z")
_OF_NVCC = re.compile(r"(?:nv_)?(?:hd_warning_disable|exec_check_disable|diag_\w+[\w\s,=]*|diagnostic\b[\w\s,=]*)\Z")
WORDS = (frozenset({"pragma"}),)


def run(work: Work) -> Iterator[Edit]:
    """Write the operator."""
    unit = work.unit
    if is_hip(work):
        return
    for line in unit.directives:
        if line.kind is not DirectiveKind.DEFINE or platform_at(unit, line.span.start) is Platform.NVIDIA:
            continue
        match = _BODY.match(unit.code, line.body.start, line.body.end)
        if match is not None and not unit.code[line.span.start : line.body.start].rstrip().endswith(")"):
            if _OF_NVCC.match(match["text"]):
                yield Replace(match.start(), match.end(), "")
            else:  # other passes may edit the text between
                yield Replace(match.start() + len(match["front"]), match.start("text"), '_Pragma("')
                yield Replace(match.end("text"), match.end(), '")')
