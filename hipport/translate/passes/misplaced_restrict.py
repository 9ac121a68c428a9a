"""`__restrict__` of array parameters, `const __restrict__ uint8_t a[4]`: nvcc takes it, Clang wants a pointer there."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

_NAMES = frozenset({"__restrict__", "__restrict"})
WORDS = (_NAMES,)
_ARRAY = re.compile(r"\s+(?:[A-Za-z_][\w:]*(?:<[^<>;(){}]*>)?\s+)*[A-Za-z_]\w*\s*\[")
"""Matches what follows in the declaration of an array: words of its type, if any, and its name."""
_POINTER = re.compile(r"[*&]\s*(?:(?:const|volatile)\s+)*\Z")
_LOOK_BACK = 40


def run(work: Work) -> Iterator[Edit]:
    """Remove it: it is a hint."""
    code = work.unit.code
    for name, offset in work.unit.occurrences(_NAMES):
        end = offset + len(name)
        if not _ARRAY.match(code, end) or _POINTER.search(code, max(0, offset - _LOOK_BACK), offset):
            continue
        if platform_at(work.unit, offset) is not Platform.NVIDIA and work.unit.directive_at(offset) is None:
            yield Replace(offset, end + 1, "")
