"""Definitions that template arguments are made of: macros, constants, enumerators, aliases, constexpr functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.dataflow.flow import Flow
from hipport.translate.syntax.brackets import matching_close, skip_blanks, split_arguments
from hipport.translate.syntax.lexer import DirectiveKind
from hipport.translate.syntax.unit import Unit

_CONSTANT = re.compile(
    r"\bconst(?:expr)?\b[^;{}()=]{0,200}?\b([A-Za-z_]\w*)\s*(?:<[^;={}()]{0,100}>\s*)?(?:=(?!=)|(?=\{))"
)
_FUNCTION = re.compile(r"\bconstexpr\b[^;{}()=]{0,200}?\b([A-Za-z_]\w*)\s*(?=\()")
_ALIAS = re.compile(r"\busing\s+([A-Za-z_]\w*)\s*=")
_TYPEDEF = re.compile(r"\btypedef\b([^;{}]{1,400}?)\b([A-Za-z_]\w*)\s*;")
_ENUMERATION = re.compile(r"\benum\b[^;{}()]{0,200}(?=\{)")
_BASES = re.compile(r"\b(?:struct|class)\s+([A-Za-z_]\w*)\s*(?:final\s*)?:(?!:)([^;{}]{1,400})\{")
_DECLARATOR = re.compile(r"([A-Za-z_]\w*)\s*=(?!=)")
_STOP = re.compile(r"[;({\[]")
WORD = re.compile(r"(?<![\w$])[A-Za-z_]\w*")
BASES = "::"
"""Ends the name under which the base classes of a class are found."""


class Definition(Struct, frozen=True):
    """The text that a name stands for, visible in `scope`, or everywhere below if that is None."""

    name: str
    at: int
    text: Span
    scope: Span | None
    is_type: bool = False


Definitions = Mapping[str, Sequence[Definition]]


def definitions(flow: Flow) -> Definitions:
    """Return the definitions of a file by name; they are found once for each file."""
    notes = flow.unit.notes
    if "definitions" not in notes:
        notes["definitions"] = _definitions(flow)
    found: Definitions = notes["definitions"]
    return found


def _definitions(flow: Flow) -> Definitions:
    found: dict[str, list[Definition]] = {}
    for name, at, text, is_type in (*_macros(flow.unit), *_declared(flow.unit)):
        found.setdefault(name, []).append(Definition(name, at, text, _scope(flow, at), is_type))
    return found


def visible(found: Definitions, name: str, offset: int) -> Sequence[Definition]:
    """Return the definitions that a name at an offset may mean: those of its function, else those outside functions."""
    every = found.get(name, ())
    local = [each for each in every if each.scope is not None and each.scope.start <= offset < each.scope.end]
    return local or [each for each in every if each.scope is None]


def _scope(flow: Flow, at: int) -> Span | None:
    function = flow.function_at(at) if flow.unit.directive_at(at) is None else None
    inside = function is not None and function.body.start_byte <= at
    return Span(function.body.start_byte, function.body.end_byte) if function is not None and inside else None


_Found = tuple[str, int, Span, bool]


def _macros(unit: Unit) -> Iterator[_Found]:
    for line in unit.directives:
        if line.kind is DirectiveKind.DEFINE:
            yield line.name, line.body.start, line.body, False


def _declared(unit: Unit) -> Iterator[_Found]:
    code = unit.shadow.main
    for match in _CONSTANT.finditer(code):
        end = _end(code, match.end())
        first, *others = split_arguments(code, match.end(), end) or (Span(match.end(), end),)
        yield match[1], match.start(), first, False
        for other in others:
            if name := _DECLARATOR.match(code, other.start, other.end):
                yield name[1], other.start, Span(name.end(), other.end), False
    for match in _FUNCTION.finditer(code):
        close = matching_close(code, match.end())
        if close is not None and code[skip_blanks(code, close + 1)] not in ";=,":
            yield match[1], match.start(), Span(close + 1, _end(code, close + 1)), False
    yield from (
        (match[1], match.start(), Span(match.end(), _end(code, match.end())), True) for match in _ALIAS.finditer(code)
    )
    for match in _TYPEDEF.finditer(code):
        yield match[2], match.start(), Span(*match.span(1)), True
    for match in _BASES.finditer(code):
        yield match[1] + BASES, match.start(), Span(*match.span(2)), True
    for match in _ENUMERATION.finditer(code):
        yield from _enumerators(code, match.end())


def _enumerators(code: str, opening: int) -> Iterator[_Found]:
    close = matching_close(code, opening)
    for each in split_arguments(code, opening + 1, close) if close is not None else ():
        if name := WORD.match(code, each.start, each.end):
            text = Span(name.end(), each.end)
            # Without a value, it is one more than the enumerator before it.
            yield (
                name[0],
                each.start,
                text if "=" in code[text.start : text.end] else Span(opening + 1, each.start),
                False,
            )


def _end(code: str, position: int) -> int:
    """Return the end of a statement, or of the block that a function or an initializer is."""
    while match := _STOP.search(code, position):
        close = matching_close(code, match.start()) if match[0] != ";" else None
        if close is None:
            return match.start()
        position = close + 1
        if match[0] == "{" and code[skip_blanks(code, position) : skip_blanks(code, position) + 1] not in (
            ",",
            ";",
            ".",
            "(",
        ):
            return position
    return len(code)
