"""`nullptr_t` without `std::`: GCC's <stddef.h>, which nvcc includes, declares it at file scope; Clang's does not."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.definitions import is_declared_at
from hipport.translate.syntax.named_scopes import USING_STD
from hipport.translate.work import Work

_NAME = "nullptr_t"
WORDS = (frozenset({_NAME}),)
_QUALIFIED = re.compile(r"(?:[\w>]\s*::|\.|->)\s*\Z")
_LOOK_BACK = 64


def run(work: Work) -> Iterator[Edit]:
    """Qualify the name, unless the file declares it or uses namespace std."""
    unit = work.unit
    if is_hip(work) or USING_STD.search(unit.code):
        return
    places = [offset for _, offset in unit.occurrences(frozenset({_NAME}))]
    if any(is_declared_at(unit, _NAME, offset) for offset in places):
        return
    for offset in places:
        if not _QUALIFIED.search(unit.code, max(0, offset - _LOOK_BACK), offset):
            yield Replace(offset, offset, "std::")
