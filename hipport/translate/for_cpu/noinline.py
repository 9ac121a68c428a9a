"""Replace `__noinline__` by `__attribute__((noinline))` where it is used as an attribute of its own.

A macro cannot do this: libstdc++ and the C library write `__attribute__((__noinline__))` and
`[[__gnu__::__noinline__]]`, and no replacement is valid both in there and in front of a function.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace
from hipport.translate.syntax.brackets import matching_open
from hipport.translate.syntax.lexer import DirectiveKind
from hipport.translate.syntax.unit import Unit

_WORD = "__noinline__"
_WORDS = frozenset({_WORD})
_ATTRIBUTE_LIST = re.compile(r"(?:\b__attribute(?:__)?\s*\(\s*\(|\[\s*\[|\b__has_\w*attribute\s*\()\Z")
_LONGEST = 4000
"""The number of characters searched backwards for the start of an attribute list."""


def run(unit: Unit) -> Iterator[Edit]:
    """Replace the word in declarations and in macro bodies."""
    for _, offset in unit.occurrences(_WORDS):
        if _is_replaced_by_the_preprocessor(unit, offset) and not _is_in_attribute_list(unit.code, offset):
            yield Replace(offset, offset + len(_WORD), "__attribute__((noinline))")


def _is_replaced_by_the_preprocessor(unit: Unit, offset: int) -> bool:
    """Return whether a macro of this name would be expanded here: in code or in the body of a `#define`."""
    line = unit.directive_at(offset)
    return line is None or (line.kind is DirectiveKind.DEFINE and offset >= line.body.start)


def _is_in_attribute_list(code: str, offset: int) -> bool:
    """Return whether the innermost brackets around an offset are those of an attribute list."""
    first, position = max(0, offset - _LONGEST), offset - 1
    while position >= first and code[position] not in "{};":
        if code[position] in "([":
            return _ATTRIBUTE_LIST.search(code, first, position + 1) is not None
        if code[position] in ")]":
            position = matching_open(code, position) or 0
        position -= 1
    return False
