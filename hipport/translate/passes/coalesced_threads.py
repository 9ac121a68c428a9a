"""`cg::coalesced_threads()`: the active lanes of a warp of 32, where HIP's function returns those of a wavefront."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.files.facts import Kind
from hipport.source import Edit, Replace
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.passes.insertion import include
from hipport.translate.syntax.brackets import skip_blanks_back
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

NAME = "coalesced_threads"
HEADER = "hipport/compat/coalesced_threads.h"
WORDS = (frozenset({NAME}),)
_SUPPLIED = f"hipport::warp32::{NAME}"
_CALL = re.compile(
    rf"(?<![\w:.>])(?P<name>(?:::\s*)?(?:[A-Za-z_]\w*\s*::\s*)*{NAME})\s*\(\s*\)(?!\s*(?:const\b\s*)?\{{)"
)
_OWN = re.compile(rf"\b{NAME}\s*\([^()]*\)\s*(?:const\b\s*)?\{{")
_GROUP = re.compile(
    rf"\bcoalesced_group(?:\s+const)?[\s&]+(?P<typed>[A-Za-z_]\w*)\s*[=({{;,)]"
    rf"|\bauto\b(?:\s+const)?[\s&]*(?P<made>[A-Za-z_]\w*)\s*[=({{][^;{{}}]*?\b(?:{NAME}|labeled_partition|binary_partition)\s*\("
)
"""Matches declarations of groups, some of which are tiles."""
_TILES = re.compile(
    r"(?<![\w:.>])(?P<name>(?:::\s*)?(?:[A-Za-z_]\w*\s*::\s*)*tiled_partition)\s*\(\s*(?P<group>[A-Za-z_]\w*)\s*,"
)
_DECLARED = re.compile(r"\b(?!(?:return|co_return|else|do|case|and|or|not)\b)[A-Za-z_]\w*[\s*&]*\Z")
"""Matches in front of a name that is declared: `coalesced_group coalesced_threads();`."""


def run(work: Work) -> Iterator[Edit]:
    """Call the function that returns lanes of the caller's warp."""
    unit = work.unit
    if is_hip(work) or work.context.options.wave_size == 32 or NAME in work.told(Kind.NAME) or _OWN.search(unit.code):
        return
    first_use = None
    for match in _CALL.finditer(unit.code):
        before = skip_blanks_back(unit.code, match.start())
        declared = (
            _DECLARED.search(unit.code, max(0, before - 60), before) is not None
            and "#" not in (unit.code[unit.code.rfind("\n", 0, before) + 1 : before])
        )
        if not declared and platform_at(unit, match.start()) is Platform.ANY:
            yield Replace(match.start("name"), match.end("name"), _SUPPLIED, whole=True)
            first_use = match.start() if first_use is None else first_use
    for edit in _tiles(work):
        yield edit
        first_use = edit.start if first_use is None else min(first_use, edit.start)
    if first_use is not None:
        yield from include(work, (HEADER,), first_use)


def _tiles(work: Work) -> Iterator[Replace]:
    """Yield edits for parts of groups of active lanes: `tiled_partition(active, 4)`."""
    code = work.unit.code
    groups = (
        {match["typed"] or match["made"] for match in _GROUP.finditer(code)} if "tiled_partition" in code else set()
    )
    for match in _TILES.finditer(code) if groups else ():
        if match["group"] in groups and platform_at(work.unit, match.start()) is Platform.ANY:
            yield Replace(match.start("name"), match.end("name"), "hipport::warp32::tiled_partition", whole=True)
