"""`#include` lines of bytes that are not lexed: quick, and also those in block comments."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from hipport import lazy_re as re
from hipport.source import Span

OPERAND = rb'(?:<([^>\n]+)>|"([^"\n]+)")'
"""An operand that is spelled out (not a macro): group 1 in brackets, or 2 in quotes."""

_LINE = re.compile(rb"#[ \t]*include[ \t]*" + OPERAND)
"""Begins with the sign, which is much faster to find than the beginning of a line."""


class IncludeLine(Struct, frozen=True):
    """The operand with slashes, without quotes or brackets, whether it is quoted, and the range with its quotes."""

    operand: str
    quoted: bool
    span: Span


def include_lines(data: bytes) -> Iterator[IncludeLine]:
    """Return the `#include` lines of a source, in order; `#include_next` and `#import` are left out."""
    return (operand_of(match) for match in _LINE.finditer(data) if _begins_line(data, match.start()))


def _begins_line(data: bytes, at: int) -> bool:
    return not data[data.rfind(b"\n", 0, at) + 1 : at].strip(b" \t")


def operand_of(match: re.Match[bytes]) -> IncludeLine:
    """Return the operand in a match of an expression with `OPERAND`."""
    operand = match[1] if match[1] is not None else match[2]
    start = match.start(match.lastindex or 0) - 1
    return IncludeLine(slashed_operand(operand), match[1] is None, Span(start, match.end()))


def slashed_operand(operand: bytes) -> str:
    r"""Return an operand with slashes; nvcc on Windows takes `#include "a\b.h"`, too."""
    return operand.decode("utf-8", "surrogateescape").replace("\\", "/")
