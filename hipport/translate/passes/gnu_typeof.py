"""`typeof(x)`, a word of GNU C++: nvcc takes it with `-std=c++17`, Clang does not. Both take `__typeof__`."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

_NAME = frozenset({"typeof"})
WORDS = (_NAME,)
_OPERATOR = re.compile(r"typeof\s*\(")
_OTHER = re.compile(r"(?:\.|->|::|\b(?!return\b)[A-Za-z_]\w*[\s*&]*[\s*&])\s*\Z")
"""Matches what stands in front of a member, or of a function that is declared."""


def run(work: Work) -> Iterator[Edit]:
    """Replace the word, unless the project has a macro or a function of that name."""
    unit = work.unit
    places = [offset for _, offset in unit.occurrences(_NAME) if _OPERATOR.match(unit.code, offset)]
    if is_hip(work) or "typeof" in unit.macros or any(_is_other(unit.code, offset) for offset in places):
        return
    for offset in places:
        if platform_at(unit, offset) is not Platform.NVIDIA:
            yield Replace(offset, offset + len("typeof"), "__typeof__")


def _is_other(code: str, offset: int) -> bool:
    front = _OTHER.search(code, max(0, offset - 64), offset)
    return front is not None and front[0].split()[:1] not in (["const"], ["static"], ["sizeof"])
