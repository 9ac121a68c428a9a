"""Shuffles that a file overloads for types of its own: `Pair __shfl_down_sync(unsigned mask, Pair value, int delta)`.

Its calls may mean either function, so that all keep their names; CUDA's, which HIP lacks or has for masks of 64 bits,
are supplied beside the overload.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Span
from hipport.translate.dataflow.cross_lane import SHUFFLES_SYNC
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.passes.insertion import include
from hipport.translate.syntax.definitions import definition_at
from hipport.translate.work import Work

HEADER = "hipport/compat/shuffle_overloads.h"
WORDS = (SHUFFLES_SYNC,)
_NUMBERS = r"(?:int|long|unsigned|signed|float|double|short|char|bool|size_t|u?int\d+_t)\b"
_OVERLOAD = re.compile(
    r"\s*\([^(),]*,\s*(?:const\s+)?(?!"
    + _NUMBERS
    + r")[A-Za-z_:][\w:]*(?:\s*<[^();{}]*?>)?\s*(?:const\s*)?&?\s*\w+\s*,"
)
"""Matches a mask and a value that is no number."""
_GENERIC = re.compile(
    r"\btemplate\s*<[^<>;{}()]*\b(\w+)\s*>[^<>;{}()]*?\b__shfl(?:_up|_down|_xor)?_sync\s*"
    r"\([^(),]*,\s*(?:const\s+)?\1\s*&?\s*\w+\s*,"
)
"""Matches an overload for any value, which takes numbers, too: beside it a call for one would be ambiguous."""


def run(work: Work) -> Iterator[Edit]:
    """Include CUDA's shuffles in a file that defines an overload outside of classes and namespaces."""
    if is_hip(work) or work.context.options.lane_masks or _GENERIC.search(work.unit.code):
        return
    for name, offset in work.unit.occurrences(work.unit.words & SHUFFLES_SYNC):
        end = offset + len(name)
        if _OVERLOAD.match(work.unit.code, end) and _is_defined(work, name, Span(offset, end)):
            yield from include(work, (HEADER,), offset)
            return


def _is_defined(work: Work, name: str, span: Span) -> bool:
    """Return whether a name is defined as a function that other files see, in code for AMD GPUs."""
    found = definition_at(work.unit, name, span.start, lambda _: True)
    is_cuda = any(reference.span == span for reference in work.references.found)
    return found is not None and found.exported and not is_cuda
