"""Sizes of tiles as constants: `Tile::num_threads()`, and `tile.size()` where the language needs a constant.

CUDA's are static and `constexpr`. HIP's `size()` is no constant, and its tiles have no `num_threads()`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from hipport import lazy_re as re
from hipport.files.facts import Kind
from hipport.source import Replace
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

_NAMES = frozenset({"size", "num_threads"})
_CALL = re.compile(r"\s*\(\s*\)")
_SCOPE = r"(?:typename\s+)?(?:::\s*)?(?:\b[A-Za-z_]\w*\s*::\s*)*"
_TYPE = re.compile(
    rf"(?P<tile>{_SCOPE}\b(?P<template>[A-Za-z_]\w*)\s*<[^;{{}}()]{{1,100}}>)\s*::\s*\Z"
    r"|(?P<asked>\bdecltype\s*\(\s*(?P<object>\w+)\s*\))\s*::\s*\Z"
    rf"|(?<![\w:>.])(?P<named>{_SCOPE}\b(?P<last>[A-Za-z_]\w*))\s*::\s*\Z"
)
"""Matches a type in front of the name of its member."""
_OBJECT = re.compile(r"(?<![\w.>:])(?P<object>[A-Za-z_]\w*)\s*\.\s*\Z")
_ALIAS = re.compile(
    rf"\busing\s+(\w+)\s*=\s*{_SCOPE}(?:thread_block_tile\s*<|(?:decltype|decay_t\s*<\s*decltype|remove_\w+_t\s*<\s*decltype)\s*\()"
    rf"|\btypedef\s+{_SCOPE}thread_block_tile\s*<[^;{{}}()]{{1,100}}>\s*(\w+)\s*;"
)
_TYPE_PARAMETER = re.compile(r"\b(?:typename|class)\s+([A-Za-z_]\w*)")
_FUNCTION_TEMPLATE = re.compile(
    r"\btemplate\s*<\s*(?:typename|class)\s+([A-Za-z_]\w*)\s*>[^;{}()=]{1,100}?\b([A-Za-z_]\w*)\s*\("
)
"""Matches a function template whose only parameter is a type, which a call may name as a tile's."""
_MADE = re.compile(r"\b([A-Za-z_]\w*)\s*[=({]\s*(?:\w+\s*::\s*)*tiled_partition\s*<")
"""Matches the declaration of a tile whose size is a constant."""
_CONSTANT = re.compile(
    r"\b(?:constexpr|static_assert|_Static_assert|case)\b|(?<!\breturn)[\w>*&]\s+\w+\s*(?:\[[^\[\]]*\]\s*)*\[[^\[\]]*\Z"
    r"|\bconst\b[^=]*\b(?P<kept>[A-Za-z_]\w*)\s*=\s*\Z|\w\s*(?P<list><)(?:[^<>()]*,)?\s*\Z"
)
"""Matches what stands in a statement in front of a constant, and in front of a value that may be used as one."""
_LIST_GOES_ON = re.compile(r"\s*\(\s*\)\s*(?:[-+*/%]\s*\w+\s*)*[,>]")
_STATEMENT = re.compile(r"[;{}]")
_FARTHEST = 200


def replaced(work: Work, groups: Callable[[str], frozenset[str]]) -> dict[int, Replace]:
    """Return the edits by the offset of the member's name; `groups` returns the names of a code's groups of lanes."""
    code, visible = work.unit.code, work.visible_code
    if is_hip(work) or "thread_block_tile" in work.told(Kind.NAME):
        return {}
    found = {}
    for name, offset in work.unit.occurrences(_NAMES):
        call = _CALL.match(code, offset + len(name))
        if call is None or platform_at(work.unit, offset) is Platform.NVIDIA:
            continue
        types = _types(visible, groups(visible))
        start, of = _of_type(code, offset, types) or _of_object(code, name, offset, types) or (0, "")
        if of:
            found[offset] = Replace(start, call.end(), f"hipport::compat::tile_size<{of}>()", whole=True)
    return found


def _of_type(code: str, offset: int, types: frozenset[str]) -> tuple[int, str] | None:
    """Return where a type in front of `::` begins, and the type."""
    match = _TYPE.search(code, max(0, offset - _FARTHEST), offset)
    if match is None:
        return None
    if match["tile"]:
        return (match.start(), match["tile"]) if match["template"] in types | {"thread_block_tile"} else None
    if match["asked"]:
        return (match.start(), match["asked"]) if match["object"] in _tiles(code, types) else None
    return (match.start(), match["named"]) if match["last"] in types else None


def _of_object(code: str, name: str, offset: int, types: frozenset[str]) -> tuple[int, str] | None:
    """Return where an object begins whose size is needed as a constant, and its type."""
    match = _OBJECT.search(code, max(0, offset - _FARTHEST), offset)
    if match is None or match["object"] not in _tiles(code, types):
        return None
    statement = _STATEMENT.split(code[max(0, offset - 2 * _FARTHEST) : match.start()])[-1]
    constant = _CONSTANT.search(statement)
    if constant is None or (constant["list"] and not _LIST_GOES_ON.match(code, offset + len(name))):
        return None
    kept = constant["kept"]
    if kept and not re.search(rf"[\[<,]\s*{kept}\s*[\],>]", code):
        return None
    return match.start(), f"decltype({match['object']})"


@functools.lru_cache(maxsize=2)
def _tiles(code: str, types: frozenset[str]) -> frozenset[str]:
    """Return the names of variables and parameters that are tiles of a constant size."""
    named = "|".join(sorted(types | {"thread_block_tile"}))
    declared = re.build(
        rf"\b(?:{named})\b(?:\s*<[^;{{}}()]{{0,100}}>)?(?:\s*const\b)?[\s&]*\b([A-Za-z_]\w*)\s*[,)=;{{(]"
    )
    return frozenset({*_MADE.findall(code), *declared.findall(code)})


@functools.lru_cache(maxsize=2)
def _types(code: str, groups: frozenset[str]) -> frozenset[str]:
    """Return the aliases of tiles, and the parameters of templates that are the types of groups."""
    aliases = {name for names in _ALIAS.findall(code) for name in names if name}
    parameters = "|".join(sorted({*_TYPE_PARAMETER.findall(code)}))
    if parameters and groups:
        given = re.build(rf"\b({parameters})\b(?:\s*const\b)?[\s&]*\b(?:{'|'.join(sorted(groups))})\s*[,)=;{{]")
        aliases |= {*given.findall(code)}
    named = "|".join(sorted(each for each in aliases | {"thread_block_tile", "decltype"}))
    for parameter, function in _FUNCTION_TEMPLATE.findall(code):
        if re.build(rf"\b{function}\s*<\s*(?:\w+\s*::\s*)*(?:{named})\b").search(code):
            aliases.add(parameter)
    return frozenset(aliases)
