"""`cg::thread_block::sync()`: functions of a group that is named by its type, which are not static in all of HIP.

In CUDA those of blocks and grids are static. In HIP those of grids are not, and those of blocks in newer releases only.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.files.facts import Kind
from hipport.source import Edit, Replace
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.brackets import skip_blanks_back
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

_MADE = {"thread_block": "this_thread_block().", "grid_group": "this_grid()."}
_CALLED = re.compile(
    r"\b(?P<group>thread_block|grid_group)\s*::\s*(?=(?:sync|size|num_threads|thread_rank|group_index|thread_index|group_dim|"
    r"dim_threads|num_blocks|block_rank|block_index|dim_blocks)\s*\()"
)
_QUALIFIER = re.compile(r"(?:(?:\b[A-Za-z_]\w*\s*)?::\s*)*\Z")
_OWN = re.compile(r"\b(?:class|struct)\s+(?:thread_block|grid_group)\s*[:{]")
_ADDRESS_OR_WORD = re.compile(r"(?:&|\b(?!return\b|else\b|do\b|and\b|or\b|not\b)\w+[\s*&]*)\Z")
"""Matches in front of a name whose address is taken, or that a definition declares: `void thread_block::sync() {`."""
WORDS = (frozenset(_MADE), frozenset({"cooperative_groups", "cg"}))


def run(work: Work) -> Iterator[Edit]:
    """Call the functions of the caller's own group."""
    unit = work.unit
    if is_hip(work) or _MADE.keys() & work.told(Kind.NAME) or _OWN.search(unit.code):
        return
    for match in _CALLED.finditer(unit.code):
        qualifier = _QUALIFIER.search(unit.code, max(0, match.start() - 100), match.start())
        start = qualifier.start() if qualifier is not None else match.start()
        before = skip_blanks_back(unit.code, start)
        declared = _ADDRESS_OR_WORD.search(unit.code, max(0, before - 60), before) is not None
        if not declared and platform_at(unit, match.start()) is not Platform.NVIDIA:
            yield Replace(match.start(), match.end(), _MADE[match["group"]])
