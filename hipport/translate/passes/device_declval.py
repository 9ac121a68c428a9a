"""`std::declval` in device functions, which is a host function: Clang checks sides also where nothing is evaluated.

`hipport/compat/declval.h` declares it for devices, too. Functions that are for both sides, and classes outside of
functions, such as traits, do not need it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hipport import lazy_re as re
from hipport.files.facts import Kind
from hipport.source import Edit, Span
from hipport.translate.passes import insertion
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.passes.host_calls import own_macros
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_DECLVAL = frozenset({"declval"})
WORDS = (_DECLVAL,)
_HEADER = "hipport/compat/declval.h"
_CALLED = re.compile(r"declval\s*<")
_WORD = re.compile(r"\b[A-Z_a-z]\w*")


def run(work: Work) -> Iterator[Edit]:
    """Include the header if a device function uses `declval`."""
    unit = work.unit
    if is_hip(work):
        return
    macros = {*own_macros(unit), *(fact.subject for fact in work.facts(Kind.DEVICE_ONLY))}
    for _, offset in unit.occurrences(_DECLVAL):
        if not _CALLED.match(unit.code, offset) or platform_at(unit, offset) is Platform.NVIDIA:
            continue
        if _is_in_device_function(unit, offset, macros):
            yield from insertion.include(work, {_HEADER}, offset)
            return


def _is_in_device_function(unit: Unit, offset: int, macros: Collection[str]) -> bool:
    """Return whether a place is in the head or the body of a function for devices alone."""
    line = unit.directive_at(offset)
    if line is not None:
        return _is_device(unit, line.body, macros)
    around = unit.braces.around(Span(offset, offset + 1))
    while around is not None:
        if _is_device(unit, Span(_start(unit, around.start), around.start), macros):
            return True
        around = unit.braces.around(Span(around.start - 1, around.end))
    return _is_device(unit, Span(_start(unit, offset), offset), macros)


def _start(unit: Unit, offset: int) -> int:
    """Return where the head of a function or a statement begins that ends at an offset."""
    return max(unit.code.rfind(end, 0, offset) for end in ";{}") + 1


def _is_device(unit: Unit, head: Span, macros: Collection[str]) -> bool:
    words = {*_WORD.findall(unit.code, head.start, head.end)}
    return "__host__" not in words and ("__device__" in words or "__global__" in words or not words.isdisjoint(macros))
