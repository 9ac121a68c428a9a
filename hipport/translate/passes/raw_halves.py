"""Bits of a half in braces, `__half_raw one = {0x3c00}`: the first member is the bits in CUDA, a `_Float16` in HIP.

HIP would convert the number, so that `one` were 15360. The member is named: `{.x = 0x3c00}`. Numbers in braces of
`__half2_raw` are reported: they do not compile with ROCm 5.2, and 6.4, whose members are `__half_raw`, converts them.
Those of bfloat16 have CUDA's members.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Edit, Replace, Span
from hipport.translate.syntax.brackets import has_bare_comma, matching_close, skip_blanks, split_arguments
from hipport.translate.syntax.lexer import parameters
from hipport.translate.work import Work

_ONE, _PAIR = "__half_raw", "__half2_raw"
_NAMES = frozenset({_ONE, _PAIR})
WORDS = (_NAMES,)
_OPENS = re.compile(r"(?:\s+[A-Za-z_]\w*)?\s*=?\s*\{")
_TYPE = r"(?:unsigned(?:\s+(?:short|int))?|ushort|short|int|u?int(?:16|32)_t)"
_NUMBER = re.compile(rf"\d|[^\"]*(?:\b0[xX][0-9a-fA-F]|\b{_TYPE}\s*[>)(])")
"""Matches the bits as a number, a cast or an expression with a hexadecimal number."""
_VARIABLE = re.compile(rf"\b{_TYPE}\s+(?:const\s+)?([A-Za-z_]\w*)")
_STRUCT = re.compile(r"\b(?:struct|class|union)\s+\Z")
_LOOK_BACK = 16


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Name the member where braces with one value follow the type, or a variable of it; report those of pairs."""
    code = work.unit.code
    for name, offset in work.unit.occurrences(_NAMES):
        opens = _OPENS.match(code, offset + len(name))
        close = matching_close(code, opens.end() - 1) if opens is not None else None
        if opens is None or close is None or _STRUCT.search(code, max(0, offset - _LOOK_BACK), offset):
            continue
        value = Span(skip_blanks(code, opens.end()), close)
        if name == _PAIR:
            if any(_is_number(work, part) for part in split_arguments(code, value.start, value.end)):
                message = "HIP's __half2_raw takes numbers in braces for values, not for the bits of halves"
                yield work.report(
                    value, "HP115", Severity.ERROR, message, "Assign to the members .x and .y of a __half_raw."
                )
        elif value.start < close and not has_bare_comma(code, value) and _is_number(work, value):
            yield Replace(value.start, value.start, ".x = ")


def _is_number(work: Work, value: Span) -> bool:
    """Return whether a value is an integer, and not another `__half_raw` or a half. A macro's parameter is one."""
    code = work.unit.code
    text = code[value.start : value.end].strip()
    if text[:1] in (".", "{"):
        return False
    line = work.unit.directive_at(value.start)
    if line is not None and text in parameters(code[line.span.start : line.body.start]):
        return True
    return _NUMBER.match(text) is not None or any(match[1] == text for match in _VARIABLE.finditer(code))
