"""`constexpr` of functions that read a value as another type, which Clang rejects: they never are constant.

nvcc takes `constexpr half inf() { const short v = 0x7c00; return *reinterpret_cast<const half *>(&v); }`. Templates are
left: Clang does not look into them.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace
from hipport.translate.syntax.brackets import matching_close, skip_blanks, start_behind
from hipport.translate.work import Work

_CONSTEXPR = frozenset({"constexpr"})
WORDS = (_CONSTEXPR, frozenset({"reinterpret_cast"}))
_HEAD = re.compile(r"[^;{}=]*\)\s*(?:const\b\s*|noexcept\b\s*)*\{")
_TEMPLATE = re.compile(r"\btemplate\s*<(?!\s*>)")
_INLINE = re.compile(r"\b(?:inline|__inline__|__forceinline__)\b")
_READS = re.compile(r"\*\s*\(?\s*reinterpret_cast\s*<")
_BRANCHES = re.compile(r"\b(?:if|switch|for|while|do|goto)\b|\?|&&|\|\|")
_IF = re.compile(r"\bif\s*\Z")
"""Matches the word in front of the `constexpr` of a statement."""
_LOOK_BACK = 400


def run(work: Work) -> Iterator[Edit]:
    """Make them `inline`, which `constexpr` implies, where every way through the function reads so."""
    code = work.unit.code
    for _, offset in work.unit.occurrences(_CONSTEXPR):
        end = offset + len("constexpr")
        head = _HEAD.match(code, end)
        close = matching_close(code, head.end() - 1) if head is not None else None
        if head is None or close is None:
            continue
        before = code[start_behind(code, offset, ";{}", _LOOK_BACK) : offset]
        if _TEMPLATE.search(before) or _IF.search(before):
            continue
        if _READS.search(code, head.end(), close) and not _BRANCHES.search(code, head.end(), close):
            is_inline = _INLINE.search(before + head[0]) is not None
            yield Replace(offset, skip_blanks(code, end) if is_inline else end, "" if is_inline else "inline")
