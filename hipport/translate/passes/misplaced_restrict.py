"""`__restrict__` beside a type that is no pointer, which nvcc takes in some places and Clang in none.

That is array parameters, `const __restrict__ uint8_t a[4]`, and what a pointer points to, if the type has a name or is
a template parameter: `const __restrict__ uint32_t *p`, `T __restrict__ *p`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

_NAMES = frozenset({"__restrict__", "__restrict"})
WORDS = (_NAMES,)
_MISPLACED = re.compile(r"(?:\s+[A-Za-z_][\w:]*(?:<[^<>;(){}]*>)?)*(?:(?<=\w)\s*\[|\s*\*)")
"""Matches what follows in declarations of arrays, words of the type, if any, and the name, and of pointers: words."""
_POINTER = re.compile(r"[*&]\s*(?:(?:const|volatile)\s+)*\Z")
_LOOK_BACK = 40


def run(work: Work) -> Iterator[Edit]:
    """Remove it: it is a hint."""
    code = work.unit.code
    for name, offset in work.unit.occurrences(_NAMES):
        end = offset + len(name)
        if not _MISPLACED.match(code, end) or _POINTER.search(code, max(0, offset - _LOOK_BACK), offset):
            continue
        if platform_at(work.unit, offset) is not Platform.NVIDIA and work.unit.directive_at(offset) is None:
            yield Replace(offset, end + 1, "")
