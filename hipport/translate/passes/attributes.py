"""`__builtin_align__(n)` and `__CUDA_ALIGN__(n)`, which CUDA's own headers use and HIP lacks: `__align__(n)`."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.source import Edit, Replace
from hipport.translate.syntax.brackets import matching_close
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

WORDS = (frozenset({"__builtin_align__", "__CUDA_ALIGN__"}),)


def run(work: Work) -> Iterator[Edit]:
    """Write `__align__`; a file that defines the name keeps it."""
    for name, offset in work.unit.occurrences(WORDS[0].difference(work.unit.macros)):
        end = offset + len(name)
        line = work.unit.directive_at(offset)
        if platform_at(work.unit, offset) is Platform.NVIDIA or (line is not None and offset < line.body.start):
            continue
        if matching_close(work.unit.code, end) is not None:
            yield Replace(offset, end, "__align__")
