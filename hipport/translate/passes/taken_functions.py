"""A project's own `__rdtsc()`, which is a built-in function of Clang, and `__smid()`, which is HIP's.

Neither can be defined again; GCC and CUDA have none.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace, Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.passes.guarding import guard
from hipport.translate.syntax.brackets import matching_close
from hipport.translate.syntax.declarations import declaration
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.prologue import line_after
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_NAME = "__rdtsc"
_DEFINITION = re.compile(rf"^[ \t]*(?:[A-Za-z_]\w*\s+){{1,6}}{_NAME}\s*\(\s*(?:void)?\s*\)\s*\{{", re.MULTILINE)
_OF_HIP = re.compile(r"\b__smid\s*\(\s*(?:void)?\s*\)\s*\{")
WORDS = (frozenset({_NAME, "__smid"}),)


def run(work: Work) -> Iterator[Edit]:
    """Leave the definitions to other compilers; Clang's function reads the same counter, HIP's the same number."""
    if is_hip(work):
        return
    if _NAME in work.unit.words and "__clang__" not in work.unit.words:
        yield from _of_clang(work.unit)
    if "__smid" in work.unit.words and work.unit.shadow.device_words:
        own = [
            span for match in _OF_HIP.finditer(work.unit.code) if (span := _definition(work.unit, match)) is not None
        ]
        own = [span for span in own if platform_at(work.unit, span.start) is not Platform.NVIDIA]
        yield from guard(work.unit, own, "HIP has the function")


def _definition(unit: Unit, match: re.Match[str]) -> Span | None:
    close = matching_close(unit.code, match.end() - 1)
    return declaration(unit, match.start(), close + 1) if close is not None else None


def _of_clang(unit: Unit) -> Iterator[Edit]:
    newline = unit.source.newline
    for match in _DEFINITION.finditer(unit.code):
        close = matching_close(unit.code, match.end() - 1)
        end = line_after(unit, close + 1) if close is not None else 0
        if close is not None and end and not unit.code[close + 1 : end].strip():
            yield Replace(match.start(), match.start(), f"#ifndef __clang__{newline}")
            yield Replace(end, end, f"#endif{newline}")
