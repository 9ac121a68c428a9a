"""Constructors from a half and from a pair of halves, between which a `float` is ambiguous in HIP.

CUDA converts a `float` to `__half`, HIP also to `__half2`: to a vector, and that to the pair. A class with both
constructors gets one from `float`, which does what CUDA's conversion does.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.brackets import matching_close
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_HALF, _PAIR = r"(?:__half|half)", r"(?:__half2|half2)"
_CLASS = re.compile(r"\b(?:struct|class)\s+(?:__align__\s*\([^()]*\)\s*)?(?P<name>[A-Za-z_]\w*)\b[^;{}()<>=]*\{")
_PARAMETER = r"\(\s*(?:const\s+)?{}(?:\s+const)?\s*&?\s*\w*\s*\)"
_SPECIFIERS = r"(?:__host__|__device__|__forceinline__|inline|explicit|constexpr|[A-Z_]*(?:HOST|DEVICE|HD)[A-Z_]*)"
"""Words that may stand on a line of their own; another may be a macro that is no part of the constructor."""
WORDS = (frozenset({"__half", "half"}), frozenset({"__half2", "half2"}))


def run(work: Work) -> Iterator[Edit]:
    """Insert constructors from `float`."""
    unit = work.unit
    if is_hip(work):
        return
    for match in _CLASS.finditer(unit.code):
        close = matching_close(unit.code, match.end() - 1)
        edit = _added(unit, match["name"], match.end(), close) if close is not None else None
        if edit is not None and platform_at(unit, edit.start) is not Platform.NVIDIA:
            yield edit


def _added(unit: Unit, name: str, start: int, end: int) -> Replace | None:
    """Return the edit that adds a constructor to a class whose members are in a range, if it needs one."""
    of_half = _constructor(name, _HALF).search(unit.code, start, end)
    of_pair = _constructor(name, _PAIR).search(unit.code, start, end)
    if of_half is None or of_pair is None or _constructor(name, r"(?:float|double)").search(unit.code, start, end):
        return None
    made = f"{of_half['words']}{name}(float value) : {name}(__float2half(value)) {{}}"
    return Replace(
        of_half.start(), of_half.start(), f"{made}{unit.source.newline}{_indentation(unit, of_half.start())}"
    )


def _constructor(name: str, kind: str) -> re.Pattern[str]:
    words = rf"(?:\b{_SPECIFIERS}\s+|\b(?!public|private|protected)[A-Za-z_]\w*[ \t]+)"
    return re.build(
        rf"(?P<words>{words}*)(?<![~\w:.>]){name}\s*{_PARAMETER.format(kind)}\s*(?=[:{{;]|noexcept|=\s*default)"
    )


def _indentation(unit: Unit, offset: int) -> str:
    before = unit.code[unit.code.rfind("\n", 0, offset) + 1 : offset]
    return before if not before.strip() else ""
