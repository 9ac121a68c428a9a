"""The words that the uses of a macro in a file give for its parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.syntax.brackets import matching_close, split_arguments
from hipport.translate.syntax.calls import call_of
from hipport.translate.syntax.lexer import Directive, parameters
from hipport.translate.syntax.unit import Unit

_WORD = re.compile(r"\w+")
_PIECE = re.compile(r"\w*\Z")
_LEADING = re.compile(r"\w+(?=\s*\()")
_IN_CALL = re.compile(r"\b([A-Za-z_]\w*)\s*\(((?:[^(),;]*,)*)\s*\Z")
"""Matches what stands in front of an argument: the name of a macro, and the arguments in front."""
_DEEPEST = 8
"""Limit on macros that pass a word on to each other."""


def uses(unit: Unit, line: Directive, named: list[str], depth: int = 0) -> Iterator[dict[str, str]]:
    """Yield the words that each use of a macro gives for its parameters; what is not one word is left out.

    A use in the body of another macro gives what that one's uses do: `#define CHECK(op) CALL(op)`. A macro that is an
    argument is used where the other macro's body calls its parameter: `LIST(CASE)` with `#define LIST(X) X(Free)`.
    """
    for name, offset in unit.occurrences(frozenset({line.name})):
        around = unit.directive_at(offset)
        call = call_of(unit, Span(offset, offset + len(name)))
        if around is not None and offset < around.body.start:  # a definition or a test of it
            continue
        if call is not None:
            texts = (unit.code[each.start : each.end].strip() for each in call.arguments)
            yield from _passed_on(unit, around, dict(zip(named, texts, strict=False)), depth)
        elif around is None:
            lister = _IN_CALL.search(unit.code, max(0, offset - 100), offset)
            if lister is not None and lister[1] in unit.defining:
                yield from _listed(unit, unit.defining[lister[1]], lister[2].count(","), named)


def _passed_on(unit: Unit, around: Directive | None, given: Mapping[str, str], depth: int) -> Iterator[dict[str, str]]:
    """Yield words for parameters, where they are parameters of the macro around the use: those of its own uses."""
    head = unit.code[around.span.start : around.body.start] if around is not None else ""
    outer = parameters(head)
    if around is not None and depth < _DEEPEST and not set(given.values()).isdisjoint(outer):
        for words in uses(unit, around, outer, depth + 1):
            yield _single({name: words.get(text, text) for name, text in given.items()})
    else:
        yield _single(given)


def _single(given: Mapping[str, str]) -> dict[str, str]:
    words = ((name, _LEADING.match(text) or _PIECE.match(text)) for name, text in given.items())
    return {parameter: word[0] for parameter, word in words if word is not None}


def _listed(unit: Unit, lister: Directive, index: int, parameters: list[str]) -> Iterator[dict[str, str]]:
    """Yield the words with which a macro calls that parameter of its own which has this index."""
    names = _WORD.findall(unit.code[lister.span.start : lister.body.start].partition("(")[2])
    if index < len(names):
        for call in re.finditer(rf"\b{names[index]}\s*(\()", unit.code[lister.body.start : lister.body.end]):
            opening = lister.body.start + call.start(1)
            close = matching_close(unit.code, opening, lister.body.end)
            given = split_arguments(unit.code, opening + 1, close) if close is not None else ()
            texts = (unit.code[each.start : each.end].strip() for each in given)
            yield _single(dict(zip(parameters, texts, strict=False)))
