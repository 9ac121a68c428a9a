"""Macros inside the text of an `asm` statement: `"cp.async.cg.shared.global" HINT(128) " ..."`, `LD " %0, [%1];"`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.syntax.brackets import matching_close, skip_blanks, split_arguments
from hipport.translate.syntax.lexer import Directive, DirectiveKind
from hipport.translate.syntax.unit import Unit

_PIECE = re.compile(
    r'\s*(?:"(?P<text>(?:[^"\\\n]|\\[nt"\\])*)"|#\s*(?P<parameter>[A-Za-z_]\w*)|(?P<name>[A-Za-z_]\w*)|(?P<more>\\(?=\s)))'
)
_NAME = re.compile(r"[A-Za-z_]\w*")
_ESCAPED = re.compile(r"\\(.)")
_ESCAPES = {"n": "\n", "t": "\t"}
_HINT = re.compile(r"(?:\.(?:L[12]|level)::\w+)*")
_DEEPEST = 6
_MOST_CALLS = 16
_MOST = 4
"""The most texts of one statement: a few macros, each with a definition in both branches of an `#if`."""

Texts = tuple[str, ...]


def macro_texts(unit: Unit, name: str, arguments: Sequence[str], depth: int = 0) -> Texts:
    """Return the texts that a macro of the file may stand for; none if one of its definitions is not string literals.

    Definitions in several branches may differ in cache hints, which do not change results: the longest is used.
    """
    found: dict[str, None] = {}
    for line in _definitions(unit, name) if depth < _DEEPEST else ():
        texts = _expanded(unit, line, arguments, depth)
        if not texts:
            return ()
        found |= dict.fromkeys(texts)
    if found and all(_HINT.fullmatch(text) for text in found):
        return (max(found, key=len),)
    return tuple(found) if len(found) <= _MOST else ()


def texts_of_calls(unit: Unit, line: Directive, written: str) -> Texts:
    """Return the texts of a statement in the body of a macro, one for each way in which the file calls the macro."""
    head = unit.code.find(line.name, line.span.start) + len(line.name)
    parameters = re.findall(r"\w+", unit.code[head : line.body.start])
    found: dict[str, None] = {}
    for _, offset in unit.occurrences(frozenset({line.name})) if parameters else ():
        inside = unit.directive_at(offset)
        if inside is not None:
            if inside.kind is DirectiveKind.DEFINE and offset >= inside.body.start:
                return ()  # called with the parameters of another macro
            continue
        opening = skip_blanks(unit.code, offset + len(line.name))
        close = matching_close(unit.code, opening) if unit.code[opening : opening + 1] == "(" else None
        parts = split_arguments(unit.code, opening + 1, close) if close is not None else []
        values = dict(zip(parameters, (unit.original(part).strip() for part in parts), strict=False))
        texts = _texts(unit, written, values, 1) if len(parts) == len(parameters) else ()
        if not texts:
            return ()
        found |= dict.fromkeys(texts)
    return tuple(found) if len(found) <= _MOST_CALLS else ()


def joined(parts: Sequence[Texts]) -> Texts:
    """Return the texts of parts one after the other, in every combination; none if a part has none, or if too many."""
    if not all(parts):
        return ()
    found = tuple(dict.fromkeys("".join(each) for each in itertools.islice(itertools.product(*parts), _MOST + 1)))
    return found if len(found) <= _MOST else ()


def _definitions(unit: Unit, name: str) -> Iterator[Directive]:
    return (line for line in unit.directives if line.kind is DirectiveKind.DEFINE and line.name == name)


def _expanded(unit: Unit, line: Directive, arguments: Sequence[str], depth: int) -> Texts:
    head = unit.code.find(line.name, line.span.start) + len(line.name)
    parameters = re.findall(r"\w+", unit.code[head : line.body.start])
    if len(parameters) != len(arguments):
        return ()
    body = unit.original(Span(line.body.start, line.body.end)).rstrip()
    return _texts(unit, body, dict(zip(parameters, arguments, strict=True)), depth + 1)


def _texts(unit: Unit, body: str, values: Mapping[str, str], depth: int) -> Texts:
    """Return what the body of a macro may stand for; `values` are the arguments, as they are written."""
    parts: list[Texts] = []
    position = 0
    while position < len(body):
        piece = _PIECE.match(body, position)
        if piece is None or depth > _DEEPEST:
            return ()
        position = piece.end()
        if piece["parameter"]:
            parts.append((values[piece["parameter"]],) if piece["parameter"] in values else ())
        elif piece["name"]:
            texts, position = _named(unit, body, piece, values, depth)
            parts.append(texts)
        else:
            parts.append((_ESCAPED.sub(lambda match: _ESCAPES.get(match[1], match[1]), piece["text"] or ""),))
    return joined(parts)


def _named(unit: Unit, body: str, piece: re.Match[str], values: Mapping[str, str], depth: int) -> tuple[Texts, int]:
    """Return the texts of an argument or of another macro, and the offset behind its use."""
    name = piece["name"]
    if name in values:
        return _texts(unit, values[name], {}, depth + 1), piece.end()
    opening = skip_blanks(body, piece.end())
    close = matching_close(body, opening) if body[opening : opening + 1] == "(" else None
    if close is None:
        return macro_texts(unit, name, (), depth), piece.end()
    written = [body[part.start : part.end].strip() for part in split_arguments(body, opening + 1, close)]
    arguments = [_NAME.sub(lambda match: _replaced(unit, values.get(match[0], match[0])), each) for each in written]
    return macro_texts(unit, name, arguments, depth), close + 1


def _replaced(unit: Unit, name: str) -> str:
    """Return the body of a macro without arguments, as an argument of another macro is expanded first."""
    bodies = {unit.original(Span(line.body.start, line.body.end)).strip() for line in _definitions(unit, name)}
    return bodies.pop() if len(bodies) == 1 else name
