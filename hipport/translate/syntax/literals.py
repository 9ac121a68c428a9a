"""String literals: their ranges and values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.syntax.brackets import skip_blanks
from hipport.translate.syntax.lexer import DirectiveKind
from hipport.translate.syntax.unit import Unit

QUOTED = re.compile(r'(?:u8|[uUL])?"((?:[^"\\\n]|\\(?:\r\n|[\s\S]))*)"')
_QUOTED = re.compile(QUOTED.pattern.encode())
_RAW = re.compile(rb'(?:u8|[uUL])?R"([^()\\\s"]{0,16})\(([\s\S]*?)\)\1"')
_START = re.compile(r'(?:\b(?:u8R|[uUL]R|R|u8|[uUL]))?"')
_LONGEST_PREFIX = 3
_ESCAPE = re.compile(r"\\(\r\n|x[0-9a-fA-F]+|[0-7]{1,3}|[\s\S])")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "v": "\v", "f": "\f", "a": "\a", "b": "\b", "\n": "", "\r\n": ""}


class Literal(Struct, frozen=True):
    """Adjacent string literals, which form one; `text` is their value, one character per byte."""

    span: Span
    text: str


def literals(unit: Unit) -> Sequence[Literal]:
    """Return the string literals of a unit in order, except those of `#include` lines."""
    found: list[Literal] | None = unit.notes.get("literals")
    if found is None:
        found = unit.notes["literals"] = [*_literals(unit)] if '"' in unit.code else []
    return found


def _literals(unit: Unit) -> Iterator[Literal]:
    done = 0
    for match in _starts(unit.code):
        line = unit.directive_at(match.start()) if match.start() >= done else None
        if match.start() < done or (line is not None and line.kind is DirectiveKind.INCLUDE):
            continue
        literal = literal_at(unit, match.start(), len(unit.code))
        if literal is not None:
            yield literal
        done = max(match.end(), literal.span.end if literal is not None else 0)


def _starts(code: str) -> Iterator[re.Match[str]]:
    """Yield a match for each quotation mark, with the prefix in front of it."""
    done, quote = 0, code.find('"')
    while quote >= 0:
        match = _START.search(code, max(done, quote - _LONGEST_PREFIX), quote + 1)
        if match is not None:
            yield match
        done = quote + 1
        quote = code.find('"', done)


def literal_at(unit: Unit, start: int, end: int) -> Literal | None:
    """Return the literals that begin at an offset; None if there is none or it is not closed before `end`."""
    pieces: list[str] = []
    position = last = start
    while position < end and (opening := _START.match(unit.code, position)):
        raw = "R" in opening[0]
        match = (_RAW if raw else _QUOTED).match(unit.source.text, position, end)
        if match is None:
            return None
        text = match[2 if raw else 1].decode("latin-1")
        pieces.append(text if raw else _ESCAPE.sub(_unescape, text))
        last = match.end()
        position = skip_blanks(unit.code, last)
    return Literal(Span(start, last), "".join(pieces)) if pieces else None


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    if code[0] == "x" and len(code) > 1:
        return chr(int(code[1:], 16) & 0xFF)
    if code[0] in "01234567":
        return chr(int(code, 8) & 0xFF)
    return _ESCAPED.get(code, code)
