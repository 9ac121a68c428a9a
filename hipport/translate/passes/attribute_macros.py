"""A project's macros for attributes behind those for sides, `APP_HOST APP_NODISCARD int f();`.

Clang takes `[[nodiscard]]` in front of `__host__` only. Such macros are often defined in another file, so names decide:
any macro in front on the same line may be for sides, as `APP_GENERIC`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace
from hipport.translate.syntax.brackets import skip_blanks
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.side_words import SIDES
from hipport.translate.syntax.words import is_side_macro
from hipport.translate.work import Work

_SPECIFIERS = re.compile(r"(?:\b[A-Za-z_]\w*\s+)+\Z")
_WORD = re.compile(r"\w+")
_LOOK_BACK = 120
_OTHERS = frozenset({"static", "inline", "constexpr", "virtual", "explicit", "friend", "extern", "__forceinline__"})


def edits(work: Work, names: frozenset[str]) -> Iterator[Edit]:
    """Move macros of these names in front of the specifiers."""
    unit = work.unit
    for name, offset in unit.occurrences(names):
        end = offset + len(name)
        start = _start_of_specifiers(unit.code, offset)
        if start == offset or unit.directive_at(offset) is not None or unit.code[end : end + 1] == "(":
            continue
        if platform_at(unit, offset) is not Platform.NVIDIA:
            yield Replace(start, start, f"{name} ")
            yield Replace(offset, skip_blanks(unit.code, end), "")


def _start_of_specifiers(code: str, offset: int) -> int:
    """Return where the specifiers in front of a macro begin, if there is one for sides; else its own place."""
    found = _SPECIFIERS.search(code, max(0, offset - _LOOK_BACK), offset)
    words = list(_WORD.finditer(code, found.start(), offset)) if found is not None else []
    start, sides = offset, False
    for match in reversed(words):
        is_side = match[0] in SIDES or is_side_macro(match[0]) or _may_be_side(code, match, offset)
        if not is_side and match[0] not in _OTHERS:
            break
        start, sides = match.start(), sides or is_side
    return start if sides else offset


def _may_be_side(code: str, match: re.Match[str], offset: int) -> bool:
    """Return whether a word is a macro on the line of an attribute; one on its own line may be a statement."""
    return match[0].isupper() and len(match[0]) > 1 and "\n" not in code[match.end() : offset]
