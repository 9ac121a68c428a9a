"""`#define warpSize 32`: a constant with the name of the built-in variable.

HIP's headers declare and use `warpSize`: a macro of that name in front of them breaks them or, worse, changes what
their cooperative groups compute; a constant is a second declaration. The program's constant gets another name.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.work import Work

NAME = "warpSize"
RENAMED = "warp_size_32"
_MEMBER = re.compile(r"(?:\.|->|::)\s*\Z")


def run(work: Work) -> Iterator[Edit]:
    """Rename the constant wherever it is meant."""
    if NAME not in work.unit.words or not is_renamed(work):
        return
    for _, offset in work.unit.occurrences(frozenset({NAME})):
        function = work.flow.function_at(offset)
        own = function is not None and function.variable(NAME, offset) is not None
        if not own and not _MEMBER.search(work.unit.code, max(0, offset - 16), offset):
            yield Replace(offset, offset + len(NAME), RENAMED)


def is_renamed(work: Work) -> bool:
    """Return whether the file, or one that it includes, defines `warpSize` as 32."""
    if work.flow.constants.value(NAME) != 32 or is_hip(work):
        return False
    place = work.flow.constants.definition(NAME)
    return place is None or work.flow.function_at(place.start) is None
