"""`#if __has_include(<cuda_fp16.h>)`: asks for the header that replaces CUDA's."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace
from hipport.translate.inclusion import RUNTIME
from hipport.translate.passes import hip_branches
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.lexer import DirectiveKind
from hipport.translate.work import Work

_ASKED = re.compile(rb"__has_include(?:_next)?\s*\(\s*[<\"]([^<>\"\n]+)[>\"]\s*\)")
WORDS = (frozenset({"__has_include", "__has_include_next"}),)


def run(work: Work) -> Iterator[Edit]:
    """Replace the headers that a condition asks for as `#include` lines replace them; those without one stay."""
    for line in work.unit.directives:
        if line.kind is not DirectiveKind.CONDITION or is_hip(work) or hip_branches.only_nvcc(work, line.span.start):
            continue
        for match in _ASKED.finditer(work.unit.source.text, line.span.start, line.span.end):
            header = work.context.tables.headers.get(match[1].decode("latin-1"))
            target = (RUNTIME if header.drop else header.hip) if header is not None else None
            if target is not None and target.encode() != match[1]:
                yield Replace(*match.span(1), target)
