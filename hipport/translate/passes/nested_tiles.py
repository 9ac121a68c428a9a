"""Tiles of tiles need hipport's header, since HIP divides blocks only: `tiled_partition<8>(warp)`, and their types."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit
from hipport.translate.passes.insertion import include
from hipport.translate.work import Work

_HEADER = "hipport/compat/cooperative_groups_nested_tiles.h"
_WORD = frozenset({"tiled_partition"})
_TYPE = frozenset({"thread_block_tile"})
_DIVIDED = re.compile(r"tiled_partition\s*<[^;{}()]{1,100}>\s*\(\s*(?P<group>[A-Za-z_][\w:.]*)\s*(?P<called>[<(])?")
_TYPED = re.compile(r"thread_block_tile\s*<[^;{}()<>,]{1,100},\s*(?:\w*\s*::\s*)*thread_block_tile\s*<")
_BLOCK = re.compile(r"\b(?:thread_block|grid_group|coalesced_group)\b[\s&*]*(?:const\b[\s&*]*)?\b([A-Za-z_]\w*)")
_MADE = re.compile(
    r"\bauto\b[\s&*]*(?:const\b[\s&*]*)?\b([A-Za-z_]\w*)\s*[=({]\s*(?:[\w:]*::)?(?:this_thread_block|coalesced_threads)\b"
)
WORDS = (_WORD | _TYPE, frozenset({"cooperative_groups"}))


def run(work: Work) -> Iterator[Edit]:
    """Include the header if a group that may be a tile is divided with a size known at compile time, or has a type."""
    places = work.unit.occurrences(_WORD | _TYPE)
    code = work.unit.code
    blocks = frozenset(_BLOCK.findall(code)) | frozenset(_MADE.findall(code))
    for name, offset in places:
        divided = _DIVIDED.match(code, offset) if name in _WORD else None
        typed = name in _TYPE and _TYPED.match(code, offset) is not None
        if typed or (divided is not None and _may_be_tile(divided["group"], bool(divided["called"]), blocks)):
            yield from include(work, [_HEADER], offset)
            return


def _may_be_tile(group: str, called: bool, blocks: frozenset[str]) -> bool:
    """Return whether the argument is a tile: made in place, or a variable that is not declared as a block."""
    name = group.rpartition("::")[2]
    return name == "tiled_partition" if called else name not in blocks
