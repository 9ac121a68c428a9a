"""`__device_builtin__` and `__builtin_align__(n)`, which are for CUDA's own headers and which HIP does not define."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.source import Edit, Replace
from hipport.translate.syntax.brackets import matching_close, skip_blanks
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

_DROPPED = frozenset({"__device_builtin__", "__cudart_builtin__"})
_NAMES = _DROPPED | {"__builtin_align__"}
WORDS = (_NAMES,)


def run(work: Work) -> Iterator[Edit]:
    """Remove the first, and write `__align__` for the second; a file that defines them keeps them."""
    if not _NAMES.isdisjoint(work.unit.macros):
        return
    for name, offset in work.unit.occurrences(_NAMES):
        end = offset + len(name)
        line = work.unit.directive_at(offset)
        if platform_at(work.unit, offset) is Platform.NVIDIA or (line is not None and offset < line.body.start):
            continue
        if name in _DROPPED:
            yield Replace(offset, skip_blanks(work.unit.code, end), "")
        elif matching_close(work.unit.code, end) is not None:
            yield Replace(offset, end, "__align__")
