"""`#include` lines of bytes that are not lexed: quick, and also those in block comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hipport.source import Span

OPERAND = rb'(?:<([^>\n]+)>|"([^"\n]+)")'
"""An operand that is spelled out (not a macro): group 1 in brackets, or 2 in quotes."""

_LINE = re.compile(rb"^[ \t]*#[ \t]*include[ \t]*" + OPERAND, re.MULTILINE)


@dataclass(frozen=True, slots=True)
class IncludeLine:
    """The operand without its quotes or brackets, whether it is quoted, and the range of both together."""

    operand: str
    quoted: bool
    span: Span


def include_lines(data: bytes) -> Iterator[IncludeLine]:
    """Return the `#include` lines of a source, in order; `#include_next` and `#import` are left out."""
    return map(operand_of, _LINE.finditer(data))


def operand_of(match: re.Match[bytes]) -> IncludeLine:
    """Return the operand in a match of an expression with `OPERAND`."""
    operand = match[1] if match[1] is not None else match[2]
    start = match.start(match.lastindex or 0) - 1
    return IncludeLine(operand.decode("utf-8", "surrogateescape"), match[1] is None, Span(start, match.end()))
