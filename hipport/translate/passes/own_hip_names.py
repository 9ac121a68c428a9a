"""Macros of a project that give CUDA's functions the names of HIP's: `#define hipDeviceProp_t cudaDeviceProp`.

Translated, such a macro stands for itself. That is harmless for a function, but some names are macros in HIP's headers
(`hipDeviceProp_t` since ROCm 6.0), which the project would replace. It is excluded for HIP.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport.source import Edit, Span
from hipport.translate.passes.guarding import FOR_HIP, guard
from hipport.translate.references import Reference
from hipport.translate.syntax.lexer import DirectiveKind
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

WORDS = (frozenset({"define"}),)


def run(work: Work) -> Iterator[Edit]:
    """Guard the definitions."""
    found = {each.span.start: each for each in work.references.found if each.entry.hip is not None}
    lines = [line for line in work.unit.directives if line.kind is DirectiveKind.DEFINE and line.name.startswith("hip")]
    own = [line.span for line in lines if _is_itself(work, line.name, line.body, found)]
    yield from guard(work.unit, own, "names of HIP", FOR_HIP)


def _is_itself(work: Work, name: str, body: Span, found: dict[int, Reference]) -> bool:
    """Return whether the translated body of a macro without parameters is its name."""
    text = work.unit.code[body.start : body.end]
    start = body.start + len(text) - len(text.lstrip(" \t\r\n\\"))
    meant = found.get(start)
    if meant is None or meant.entry.hip is None or meant.entry.hip.name != name:
        return False
    return meant.span.end == body.start + len(text.rstrip()) and platform_at(work.unit, start) is Platform.ANY
