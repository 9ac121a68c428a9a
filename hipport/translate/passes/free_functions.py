"""Member functions that HIP lacks: `tile.meta_group_rank()` becomes `hipport::compat::meta_group_rank(tile)`.

Those with arguments, `any` and `all`, share their names with members of other classes: they are rewritten only for
objects that the file declares as groups, shuffles only for values that are not numbers.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.mappings.tables import FreeFunction
from hipport.source import Edit, Replace, Span
from hipport.translate.passes import insertion
from hipport.translate.passes.shuffled_types import SHUFFLES, of_no_number
from hipport.translate.syntax.brackets import callee_start, matching_open, skip_blanks_back
from hipport.translate.work import Work

_OBJECT = re.compile(r"[A-Za-z_]\w*(?:\s*(?:\.|->)\s*[A-Za-z_]\w*|\s*\[[^][]*\])*\s*\Z")
_NO_ARGUMENTS = re.compile(r"\s*\(\s*\)")
_OPENED = re.compile(r"\s*\((?!\s*\))")
_LAST_NAME = re.compile(r"([A-Za-z_]\w*)(?:\s*\[[^][]*\])*\s*\Z")
_OF_ANY_CLASS = frozenset({"block_index", "block_rank", "dim_blocks", "dim_threads", "num_blocks", "num_threads"})
"""Names that are members of many classes: only files that name CUDA's groups mean these."""
_STATIC = re.compile(r"(?<![\w:.>])(?P<scope>(?:[A-Za-z_]\w*\s*::\s*)*)\b(?P<type>thread_block|grid_group)\s*::\Z")
_GETTERS = {"thread_block": "this_thread_block", "grid_group": "this_grid"}
"""Groups whose members are static, with the functions that return them."""
_MAKES_GROUP = re.compile(
    r"(?:[A-Za-z_]\w*\s*::\s*)*(?:this_thread_block|this_grid|this_thread|coalesced_threads|\w+_partition)\s*[<(]"
)
_MAKES_LANES = re.compile(r"(?:[A-Za-z_]\w*\s*::\s*)*(?:coalesced_threads|\w+_partition)\s*[<(]")
_OF_SIZE = frozenset({"size", "num_threads"})
_SIZES = "hipport/compat/group_shape.h"
_LONGEST = 200  # characters of an object expression: longer ones are not variables
_GROUP = re.compile(
    r"\b(?:coalesced_group|thread_block_tile\s*<[^;{}]{0,100}>)(?:\s*const\b)?[\s&*]*\b(?P<typed>[A-Za-z_]\w*)"
    r"|\bauto\b[\s&*]*(?:const\b[\s&*]*)?\b(?P<made>[A-Za-z_]\w*)\s*[=({][^;]{0,300}?"
    r"\b(?:coalesced_threads|tiled_partition|binary_partition|labeled_partition)\b"
)
"""Matches the declaration of a variable, parameter, member or function that is, or returns, a group of lanes."""
_ALIAS = re.compile(
    r"\busing\s+(?P<alias>[A-Za-z_]\w*)\s*=\s*(?:typename\s+)?(?:[A-Za-z_]\w*\s*::\s*)*(?:coalesced_group|thread_block_tile\s*<)"
    r"|\btypedef\s+(?:[A-Za-z_]\w*\s*::\s*)*(?:coalesced_group|thread_block_tile\s*<[^;{}]{0,100}>)\s*(?P<defined>[A-Za-z_]\w*)\s*;"
)
_DECLARED = r"(?:\s*<[^;{}()]{0,100}>)?(?:\s*const\b)?[\s&*]*\b([A-Za-z_]\w*)"
"""Matches what stands behind the name of a type in a declaration."""
_MADE_BY_CALL = re.compile(
    r"\bauto\b[\s&*]*(?:const\b[\s&*]*)?\b(?P<name>[A-Za-z_]\w*)\s*=\s*(?:[\w:.<>]|->)*?\b(?P<callee>[A-Za-z_]\w*)\s*\("
)

_RANKED = re.compile(r"\b([A-Za-z_]\w*)\s*\.\s*(?:thread_rank\s*\(\s*\)|shfl(?:_up|_down|_xor)?\s*\()")
"""Matches members that only groups of lanes have."""
_TYPE_PARAMETER = re.compile(r"\b(?:typename|class)\s+([A-Za-z_]\w*)")


def run(work: Work) -> Iterator[Edit]:
    """Rewrite calls whose object is a variable, an element or a member."""
    edits, sizes = rewritten(work), _sizes(work)
    yield from (*edits.values(), *sizes.values())
    if edits or sizes:
        functions = work.context.tables.functions
        headers = {functions[name].header for name, _ in edits} | {_SIZES for _ in sizes}
        first = min(edit.start for edit in (*edits.values(), *sizes.values()))
        yield from insertion.include(work, headers, first)


def _sizes(work: Work) -> dict[int, Replace]:
    """Return the edits of sizes of tiles that are constants, by the offset of the member's name."""
    if work.unit.words.isdisjoint(_OF_SIZE) or "cooperative_groups" not in work.visible_words:
        return {}
    from hipport.translate.passes import tile_sizes  # few files have groups

    return tile_sizes.replaced(work, groups)


def rewritten(work: Work) -> dict[tuple[str, int], Replace]:
    """Return the edit of each call that is rewritten, by the member's name and its offset."""
    functions = work.context.tables.functions
    if "cooperative_groups" not in work.visible_words:
        functions = {name: free for name, free in functions.items() if name not in _OF_ANY_CLASS}
    places = work.unit.occurrences(frozenset(functions))
    if not places:
        return {}
    constants = _sizes(work) if "num_threads" in work.unit.words else {}
    edits = {
        (name, offset): _rewritten(work, functions[name], offset, offset + len(name))
        for name, offset in places
        if offset not in constants
    }
    return {
        (name, offset): edit
        for (name, offset), edit in edits.items()
        if edit is not None and (name not in SHUFFLES or of_no_number(work, edit.end - 1))
    }


def _rewritten(work: Work, free: FreeFunction, offset: int, end: int) -> Replace | None:
    code = work.unit.code
    before = code[max(0, offset - _LONGEST) : offset].rstrip()
    call = (_OPENED if free.has_arguments else _NO_ARGUMENTS).match(code, end)
    pointer = before.endswith("->")
    if call is not None and (made := _made(work, offset, before, lanes=free.has_arguments)) is not None:
        start, text, kept = made
        closing = ", " if free.has_arguments else ")"
        return Replace(start, call.end(), f"{free.function}({text}{closing}", whole=True, kept=kept)
    if call is None or not (pointer or before.endswith(".")):
        return None
    stem = before[: -2 if pointer else -1]
    match = _OBJECT.search(stem)
    if match is None or (free.has_arguments and not _is_group(match[0], work)):
        return None
    text = match[0].strip()
    start = offset - len(code[max(0, offset - _LONGEST) : offset]) + match.start()
    closing = ", " if free.has_arguments else ")"
    changed = f"{free.function}({'*' if pointer else ''}{text}{closing}"
    return Replace(start, call.end(), changed, whole=True, kept=(Span(start, start + len(text)),))


def _made(work: Work, offset: int, before: str, *, lanes: bool) -> tuple[int, str, tuple[Span, ...]] | None:
    """Return where an object that is no variable begins, its text, and the range that stands in it as it is.

    Such objects are `this_grid().name`, `thread_block::name`. With `lanes`, only groups of lanes count, and so do calls
    of functions that the file declares with such a result.
    """
    code = work.unit.code
    static = None if lanes else _STATIC.search(before)
    if static is not None:
        group = f"{static['scope'].strip()}{_GETTERS[static['type']]}()"
        return offset - len(code[max(0, offset - _LONGEST) : offset]) + static.start(), group, ()
    dot = skip_blanks_back(code, offset)
    close = skip_blanks_back(code, dot - 1)
    if not before.endswith(".") or code[close - 1 : close] != ")":
        return None
    opening = matching_open(code, close - 1)
    start = callee_start(code, opening) if opening is not None else None
    if opening is None or start is None:
        return None
    text = code[start:close]
    is_made = _MAKES_LANES.match(text) or _is_group(code[start:opening], work) if lanes else _MAKES_GROUP.match(text)
    return (start, text, (Span(start, close),)) if is_made else None


def _is_group(text: str, work: Work) -> bool:
    """Return whether the variable, or its last member, is declared as a group of lanes."""
    last = _LAST_NAME.search(text)
    return last is not None and last[1] in groups(work.visible_code)


@functools.lru_cache(maxsize=2)
def groups(code: str) -> frozenset[str]:
    """Return the names that are declared as groups of lanes, or as what a template is given and has ranks or shuffles.

    hipport's functions call members of the same name, if an object has them.
    """
    found = {match["typed"] or match["made"] for match in _GROUP.finditer(code)}
    aliases = {match["alias"] or match["defined"] for match in _ALIAS.finditer(code)}
    if aliases:
        found |= set(re.build(rf"\b(?:{'|'.join(sorted(aliases))})\b{_DECLARED}").findall(code))
    found |= {match["name"] for match in _MADE_BY_CALL.finditer(code) if match["callee"] in found}
    ranked = set(_RANKED.findall(code)) - found
    types = set(_TYPE_PARAMETER.findall(code)) if ranked else set()
    if types:
        given = re.build(rf"\b(?:{'|'.join(sorted(types))})\b(?:\s*const\b)?[\s&]*\b([A-Za-z_]\w*)\s*[,)=;{{]")
        found |= ranked & set(given.findall(code))
    return frozenset(found)
