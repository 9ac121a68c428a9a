"""Inline PTX: `asm` statements become HIP C++; unsupported ones are left unchanged and reported."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Edit, Replace
from hipport.translate.passes.insertion import include
from hipport.translate.ptx.arguments import in_arguments
from hipport.translate.ptx.statement import AsmStatement, asm_statements
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.words import ASSEMBLY
from hipport.translate.work import Work

if TYPE_CHECKING:
    from hipport.translate.ptx.output import Unsupported
    from hipport.translate.ptx.tree import Block

_HEADERS = "hipport/ptx/"
_IN_SHARED_MEMORY = (
    "translated inline PTX: the carry flag that passes between functions or macros is kept in 1 KiB of shared memory"
)
_LONGEST_LINE = 400
_DEPTH = re.compile(r"\A(?: {4})+")
WORDS = (ASSEMBLY,)


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Translate every PTX statement that HIP will compile, and include the helpers that the translation uses."""
    # Few files have inline assembly: only those import the parser and its rules.
    from hipport.translate.ptx.recognize import is_ptx, is_unknown_for_gpus

    headers: set[str] = set()
    statements = [
        statement
        for statement in asm_statements(work.unit)
        if platform_at(work.unit, statement.span.start) is not Platform.NVIDIA
        and (is_ptx(statement, work.unit.original(statement.span)) or is_unknown_for_gpus(work.unit, statement))
    ]
    parsed = {statement.span.start: _parsed(statement) for statement in statements}
    kept = yield from _carries(work, statements, parsed)
    for statement in statements:
        tree = parsed[statement.span.start]
        if isinstance(tree, str):
            yield _not_understood(work, statement, tree)
        else:
            yield from _translate(work, statement, tree, headers, kept.get(statement.span.start, ""))
    if headers:
        yield from include(work, (_HEADERS + header for header in headers), statements[0].span.start)


def _parsed(statement: AsmStatement) -> Block | str:
    """Return the parsed text of a statement, or why it cannot be parsed."""
    from hipport.translate.ptx.translate import parse_statement
    from hipport.translate.ptx.tree import PtxSyntaxError

    try:
        return parse_statement(statement)
    except PtxSyntaxError as error:
        return str(error)


def _carries(
    work: Work, statements: Sequence[AsmStatement], parsed: Mapping[int, Block | str]
) -> Generator[Edit | Diagnostic, None, dict[int, str]]:
    """Declare the variables that hold carry flags between statements; return the flag's place for each statement."""
    from hipport.translate.ptx.carries import FLAG, carries, chain, link
    from hipport.translate.ptx.translate import instructions_of

    links = []
    for statement in statements:
        tree = parsed[statement.span.start]
        what = None if isinstance(tree, str) else chain(list(instructions_of(tree)))
        if what is not None and (what.takes or what.sets):
            links.append(link(work.unit, statement, what))
    kept, declared = carries(work.unit, links)
    for offset, name in declared.items():
        yield Replace(offset, offset, _line_after(work, offset) + f"uint32_t {name} = 0;")
    flagged = [each for each in links if kept.get(each.span.start) == FLAG]
    if flagged:
        yield work.report(flagged[0].span, "HP303", Severity.NOTE, _IN_SHARED_MEMORY)
    return kept


def _line_after(work: Work, offset: int) -> str:
    """Return the line break and the indentation in front of what follows an opening brace, or a blank."""
    following = re.match(r"[ \t]*(?:\r?\n)+([ \t]*)", work.unit.code[offset : offset + _LONGEST_LINE])
    return work.unit.source.newline + following[1] if following else " "


def _translate(
    work: Work, statement: AsmStatement, tree: Block, headers: set[str], carry: str
) -> Iterator[Edit | Diagnostic]:
    from hipport.translate.ptx.alternatives import translate_all
    from hipport.translate.ptx.operands import bind
    from hipport.translate.ptx.output import Unsupported
    from hipport.translate.ptx.tree import PtxSyntaxError

    written = work.unit.original(statement.written)
    try:
        translation = translate_all(statement, tree, bind(work.unit, statement), carry, written)
    except PtxSyntaxError as error:
        yield _not_understood(work, statement, str(error))
    except Unsupported as error:
        yield _untranslated(work, statement, error)
    else:
        headers |= translation.headers
        lines = (*_comments(work, statement), *in_arguments(work.unit, statement, translation.lines))
        span, operands = statement.span, tuple(operand.expression for operand in statement.operands)
        yield Replace(span.start, span.end, _written(work, statement, lines), whole=True, kept=operands)
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
