"""`_Bool` of `<stdbool.h>` in C++: GCC's header always defines it, clang's only with the extensions of GNU."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.source import Edit, Replace
from hipport.translate.syntax.includes import includes
from hipport.translate.syntax.lexer import DirectiveKind
from hipport.translate.work import Work

_DEFINED = "\n#ifndef _Bool  // clang's header lacks it with -std=c++17\n#define _Bool bool\n#endif"


def run(work: Work) -> Iterator[Edit]:
    """Define it behind the `#include` in CUDA sources, whose headers may use it."""
    unit = work.unit
    if not unit.source.name.endswith((".cu", ".cuh")) or b"stdbool.h" not in unit.source.text:
        return
    defined = any(line.kind is DirectiveKind.DEFINE and line.name == "_Bool" for line in unit.directives)
    line = next((each for each in includes(unit) if each.operand == "stdbool.h"), None)
    if line is not None and not defined:
        yield Replace(line.directive.span.end, line.directive.span.end, _DEFINED)
