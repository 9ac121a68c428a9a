"""A project's own `__rdtsc()`, which is a built-in function of Clang and cannot be defined again; GCC has none."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.brackets import matching_close
from hipport.translate.syntax.prologue import line_after
from hipport.translate.work import Work

_NAME = "__rdtsc"
_DEFINITION = re.compile(rf"^[ \t]*(?:[A-Za-z_]\w*[ \t]+)+{_NAME}[ \t]*\(\s*(?:void)?\s*\)\s*\{{", re.MULTILINE)


def run(work: Work) -> Iterator[Edit]:
    """Leave the definition to other compilers; Clang's function reads the same counter."""
    unit = work.unit
    if _NAME not in unit.words or "__clang__" in unit.words or is_hip(work):
        return
    newline = unit.source.newline
    for match in _DEFINITION.finditer(unit.code):
        close = matching_close(unit.code, match.end() - 1)
        end = line_after(unit, close + 1) if close is not None else 0
        if close is not None and end and not unit.code[close + 1 : end].strip():
            yield Replace(match.start(), match.start(), f"#ifndef __clang__{newline}")
            yield Replace(end, end, f"#endif{newline}")
