"""Macros inside the text of an `asm` statement: `"cp.async.cg.shared.global" HINT(128) " ..."`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hipport.source import Span
from hipport.translate.syntax.lexer import Directive, DirectiveKind
from hipport.translate.syntax.unit import Unit

_PIECE = re.compile(r'\s*(?:"(?P<text>[^"\\\n]*)"|#\s*(?P<parameter>[A-Za-z_]\w*)|\\(?=\s))')
_HINT = re.compile(r"(?:\.(?:L[12]|level)::\w+)*")


def macro_text(unit: Unit, name: str, arguments: Sequence[str]) -> str | None:
    """Return the expansion if all definitions of a macro agree; None if they differ or are not string literals.

    Definitions in several branches may differ in cache hints, which do not change results: the longest is used.
    """
    texts = {_expanded(unit, line, arguments) for line in _definitions(unit, name)}
    known = [text for text in texts if text is not None]
    if not known or len(known) != len(texts):
        return None
    same = len(known) == 1 or all(_HINT.fullmatch(text) for text in known)
    return max(known, key=len) if same else None


def _definitions(unit: Unit, name: str) -> Iterator[Directive]:
    return (line for line in unit.directives if line.kind is DirectiveKind.DEFINE and line.name == name)


def _expanded(unit: Unit, line: Directive, arguments: Sequence[str]) -> str | None:
    head = unit.code.find(line.name, line.span.start) + len(line.name)
    parameters = re.findall(r"\w+", unit.code[head : line.body.start])
    if len(parameters) != len(arguments):
        return None
    values = dict(zip(parameters, arguments, strict=True))
    body = unit.original(Span(line.body.start, line.body.end)).rstrip()
    text, position = "", 0
    while position < len(body):
        piece = _PIECE.match(body, position)
        if piece is None or (piece["parameter"] or "") not in {"", *values}:
            return None
        text += piece["text"] or values.get(piece["parameter"] or "", "")
        position = piece.end()
    return text
