"""`cub::BlockReduce<T, 256, cub::BLOCK_REDUCE_RAKING>`: hipCUB's raking reductions of several items are miscompiled.

`Sum(items)` and `Reduce(items, op)` return there what only the first wavefront has set. For Clang that is undefined
behavior, so it takes the other threads for impossible: `threadIdx.x % 32 == 0` behind it becomes `threadIdx.x == 0`.
(Seen with hipCUB 5.7 on gfx1100; 6.4 has the same source.) Reductions in warps set the result of every thread.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.passes.cub_warps import occurrences
from hipport.translate.work import Work

_RAKING = frozenset({"BLOCK_REDUCE_RAKING", "BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY"})
_INSTEAD = "BLOCK_REDUCE_WARP_REDUCTIONS"
WORDS = (_RAKING,)
_COMPARED = re.compile(r"(?:\bcase|[=!]=)\s*(?:\w+\s*::\s*)*\Z")
_COMPARED_BEHIND = re.compile(r"\s*[=!]=")
_FAR = 100  # characters in front of a name


def run(work: Work) -> Iterator[Edit]:
    """Choose the other algorithm, but not in comparisons, which would then have two alike."""
    if is_hip(work):
        return
    code = work.unit.code
    for _, _, span in occurrences(work, _RAKING):
        if not _COMPARED.search(code, max(0, span.start - _FAR), span.start) and not _COMPARED_BEHIND.match(
            code, span.end
        ):
            yield Replace(span.start, span.end, _INSTEAD)
