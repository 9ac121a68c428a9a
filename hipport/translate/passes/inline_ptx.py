"""Inline PTX: `asm` statements become HIP C++; unsupported ones are left unchanged and reported."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Edit, Replace
from hipport.translate.passes.insertion import include
from hipport.translate.ptx.statement import WORDS, AsmStatement, asm_statements
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

if TYPE_CHECKING:
    from hipport.translate.ptx.output import Unsupported

_HEADERS = "hipport/ptx/"
_DEPTH = re.compile(r"\A(?: {4})+")


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Translate every PTX statement that HIP will compile, and include the helpers that the translation uses."""
    if not work.unit.words & WORDS:
        return
    # Few files have inline assembly: only those import the parser and its rules.
    from hipport.translate.ptx.recognize import is_ptx

    headers: set[str] = set()
    places: list[int] = []
    for statement in asm_statements(work.unit):
        if platform_at(work.unit, statement.span.start) is Platform.NVIDIA:
            continue
        if is_ptx(statement, work.unit.original(statement.span)):
            places.append(statement.span.start)
            yield from _translate(work, statement, headers)
    if headers:
        yield from include(work, (_HEADERS + header for header in headers), places[0])


def _translate(work: Work, statement: AsmStatement, headers: set[str]) -> Iterator[Edit | Diagnostic]:
    from hipport.translate.ptx.operands import bind
    from hipport.translate.ptx.output import Unsupported
    from hipport.translate.ptx.translate import parse_statement, translate
    from hipport.translate.ptx.tree import PtxSyntaxError

    try:
        translation = translate(statement, parse_statement(statement), bind(work.unit, statement))
    except PtxSyntaxError as error:
        yield _not_understood(work, statement, str(error))
    except Unsupported as error:
        yield _untranslated(work, statement, error)
    else:
        headers |= translation.headers
        lines = (*_comments(work, statement), *translation.lines)
        yield Replace(statement.span.start, statement.span.end, _written(work, statement, lines), whole=True)
        for caveat in translation.caveats:
            yield work.report(statement.span, "HP303", Severity.NOTE, f"translated inline PTX: {caveat}")


def _not_understood(work: Work, statement: AsmStatement, why: str) -> Diagnostic:
    message = f"inline PTX cannot be parsed: {why}"
    return work.report(
        statement.span, "HP302", Severity.ERROR, message, "Write the instructions literally, or use C++."
    )


def _untranslated(work: Work, statement: AsmStatement, error: Unsupported) -> Diagnostic:
    from hipport.translate.ptx.meanings import meaning

    known = meaning(error.instruction)
    if known is None:
        message = f"inline PTX without translation: unknown instruction '{error.instruction}'"
        return work.report(statement.span, "HP301", Severity.ERROR, message)
    message = f"inline PTX without translation: {error.instruction} {known.words}"
    if error.reason:
        message += f"; {error.reason} has no translation"
    return work.report(statement.span, "HP301", Severity.ERROR, message, known.substitute)


def _comments(work: Work, statement: AsmStatement) -> Iterator[str]:
    """Yield the comments inside the statement, which go in front of its translation."""
    for comment in work.unit.lexed.comments:
        if statement.span.start < comment.start and comment.end <= statement.span.end:
            yield work.unit.original(comment)


def _written(work: Work, statement: AsmStatement, lines: Iterable[str]) -> str:
    """Join the lines with the indentation of the statement and the line ends of the file; in a macro, on one line."""
    if statement.in_macro:
        return " ".join(line.strip() for line in lines)
    source = work.unit.source
    start = source.line_start(source.position(statement.span.start)[0])
    before = source.text[start : statement.span.start].decode("utf-8", "replace")
    indentation = before[: len(before) - len(before.lstrip())]
    step = "\t" if "\t" in indentation else " " * (2 if len(indentation) % 4 == 2 else 4)
    indented = (indentation + _DEPTH.sub(lambda depth: step * (len(depth[0]) // 4), line) for line in lines)
    return source.newline.join(indented)[len(indentation) :]
