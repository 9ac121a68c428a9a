"""Bits of a half in braces, `__half_raw one = {0x3c00}`: the first member is the bits in CUDA, a `_Float16` in HIP.

HIP would convert the number, so that `one` were 15360. The member is named: `{.x = 0x3c00}`. Braces of `__half2_raw`
stay: they do not compile with ROCm 5.2, and 6.4, whose members are of another type, converts the numbers; no tree that
was read has any. Those of bfloat16 have CUDA's members.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace, Span
from hipport.translate.syntax.brackets import has_bare_comma, matching_close, skip_blanks
from hipport.translate.work import Work

_NAMES = frozenset({"__half_raw"})
WORDS = (_NAMES,)
_OPENS = re.compile(r"(?:\s+[A-Za-z_]\w*)?\s*=?\s*\{")
_TYPE = r"(?:unsigned(?:\s+(?:short|int))?|ushort|short|int|u?int(?:16|32)_t)"
_NUMBER = re.compile(rf"\d|[^\"]*(?:\b0[xX][0-9a-fA-F]|\b{_TYPE}\s*[>)(])")
"""Matches the bits as a number, a cast or an expression with a hexadecimal number."""
_VARIABLE = re.compile(rf"\b{_TYPE}\s+(?:const\s+)?([A-Za-z_]\w*)")
_STRUCT = re.compile(r"\b(?:struct|class|union)\s+\Z")
_LOOK_BACK = 16


def run(work: Work) -> Iterator[Edit]:
    """Name the member where braces with one value follow the type, or a variable of it."""
    code = work.unit.code
    for name, offset in work.unit.occurrences(_NAMES):
        opens = _OPENS.match(code, offset + len(name))
        close = matching_close(code, opens.end() - 1) if opens is not None else None
        if opens is None or close is None or _STRUCT.search(code, max(0, offset - _LOOK_BACK), offset):
            continue
        first = skip_blanks(code, opens.end())
        if first < close and _is_number(code, Span(first, close)):
            yield Replace(first, first, ".x = ")


def _is_number(code: str, value: Span) -> bool:
    """Return whether a value is an integer, and not another `__half_raw` or a half."""
    text = code[value.start : value.end].strip()
    if text[:1] in (".", "{") or has_bare_comma(code, value):
        return False
    return _NUMBER.match(text) is not None or any(match[1] == text for match in _VARIABLE.finditer(code))
