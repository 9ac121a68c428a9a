"""Finds `asm` statements in a source and splits them into text, operands and clobbers."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.ptx.macro_text import Texts, joined, macro_texts, texts_of_calls
from hipport.translate.ptx.scope import in_kernel
from hipport.translate.syntax.brackets import matching_close, skip_blanks, split_arguments, strip
from hipport.translate.syntax.lexer import DirectiveKind
from hipport.translate.syntax.literals import QUOTED, literal_at
from hipport.translate.syntax.unit import Unit
from hipport.translate.syntax.words import ASSEMBLY

_QUALIFIER = re.compile(r"(?:volatile|__volatile__|__volatile|inline|__inline__|goto)\b")
_ALIAS = re.compile(r"\s*(?:asm|__asm__|__asm)(?:\s+(?:volatile|__volatile__|__volatile))?\s*")
_COLON_OR_BRACKET = re.compile(r"[:(\[{]")
_NAME = re.compile(r"\[\s*(\w+)\s*\]")
_WORD = re.compile(r"[A-Za-z_]\w*")
_PIECES = re.compile(r"""(?:"[^"\n]*"|#|\w+|\\?\s)+""")
"""A constraint assembled from parts: `"="#r`, `"+" REGISTER`."""


class AsmOperand(Struct, frozen=True):
    """One operand: its constraint (`=r`, `+f`, `l`, `0`), the range of its expression, and `[name]` if it has one.

    The constraint is empty if it is assembled by macros.
    """

    constraint: str
    expression: Span
    name: str = ""


class AsmStatement(Struct, frozen=True):
    """An `asm` statement.

    `span` includes the semicolon if there is one. `text` is None if it, or the constraint of an operand, cannot be read
    as string literals. `others` are the texts that it has where a macro in it has another definition, or with
    `by_calls`, where its own macro is called with other arguments; `written` is the range of the text.
    `in_macro`: it is in the body of a `#define`; `in_kernel`: in a kernel itself, whose `return` ends the thread.
    """

    span: Span
    closed: bool
    volatile: bool
    text: str | None
    outputs: tuple[AsmOperand, ...]
    inputs: tuple[AsmOperand, ...]
    clobbers: tuple[str, ...]
    in_macro: bool
    in_kernel: bool
    others: tuple[str, ...]
    written: Span
    by_calls: bool

    @property
    def operands(self) -> tuple[AsmOperand, ...]:
        """Outputs and inputs, in the order of `%0`, `%1`, ..."""
        return self.outputs + self.inputs


def asm_statements(unit: Unit) -> Iterator[AsmStatement]:
    """Yield all `asm` statements with parentheses, in order; unclosed and other forms are skipped."""
    for word, offset in unit.occurrences(ASSEMBLY | _aliases(unit)):
        line = unit.directive_at(offset)
        if line is not None and (line.kind is not DirectiveKind.DEFINE or offset < line.body.start):
            continue
        found = _statement(unit, word, offset, in_macro=line is not None)
        if found is not None:
            yield found


def _aliases(unit: Unit) -> frozenset[str]:
    """Return the macros of the file that stand for the word alone: `#define ASM asm volatile`."""
    return frozenset(
        line.name
        for line in unit.directives
        if line.kind is DirectiveKind.DEFINE and _ALIAS.fullmatch(unit.code, line.body.start, line.body.end)
    )


def _statement(unit: Unit, word: str, offset: int, *, in_macro: bool) -> AsmStatement | None:
    code = unit.code
    position, volatile = _after_qualifiers(code, offset + len(word))
    close = matching_close(code, position) if code[position : position + 1] == "(" else None
    if close is None:
        return None
    sections = list(_sections(code, position + 1, close))
    if len(sections) > 4:
        return None
    semicolon = skip_blanks(code, close + 1)
    closed = code[semicolon : semicolon + 1] == ";"
    sections += [Span(close, close)] * (4 - len(sections))
    outputs, inputs = (_operands(unit, section) for section in sections[1:3])
    if outputs is None or inputs is None:
        return None
    readable = all(operand.constraint for operand in (*outputs, *inputs))
    written = strip(unit.code, sections[0].start, sections[0].end)
    texts = _literals(unit, sections[0]) if readable else ()
    line = unit.directive_at(offset) if readable and not texts else None
    if line is not None:
        texts = texts_of_calls(unit, line, unit.original(written))
    return AsmStatement(
        Span(offset, semicolon + 1 if closed else close + 1),
        closed,
        volatile or not outputs,
        texts[0] if texts else None,
        outputs,
        inputs,
        tuple(re.findall(r'"([^"]*)"', unit.original(sections[3]))),
        in_macro,
        not in_macro and in_kernel(unit, offset),
        texts[1:],
        written,
        line is not None,
    )


def _after_qualifiers(code: str, start: int) -> tuple[int, bool]:
    """Return where the qualifiers of a statement end, and whether `volatile` is among them."""
    position, volatile = skip_blanks(code, start), False
    while qualifier := _QUALIFIER.match(code, position):
        volatile = volatile or "volatile" in qualifier[0]
        position = skip_blanks(code, qualifier.end())
    return position, volatile


def _sections(code: str, start: int, end: int) -> Iterator[Span]:
    """Yield the ranges between top-level colons; `::` is two colons."""
    first = position = start
    while match := _COLON_OR_BRACKET.search(code, position, end):
        position = match.end()
        if match[0] == ":":
            yield Span(first, match.start())
            first = position
        else:
            close = matching_close(code, match.start(), end)
            position = end if close is None else close + 1
    yield Span(first, end)


def _operands(unit: Unit, section: Span) -> tuple[AsmOperand, ...] | None:
    """Parse `[name] "constraint" (expression), ...`; nvcc accepts missing commas."""
    code = unit.code
    found = []
    position = skip_blanks(code, section.start)
    while position < section.end:
        name = _NAME.match(code, position)
        if name:
            position = skip_blanks(code, name.end())
        constraint = _PIECES.match(unit.lexed.code, position, section.end)
        opening = skip_blanks(code, constraint.end()) if constraint else position
        close = matching_close(code, opening, section.end) if code[opening : opening + 1] == "(" else None
        if constraint is None or close is None:
            return None
        literal = QUOTED.fullmatch(constraint[0].strip())
        letters = unit.original(Span(constraint.start(), constraint.end())).strip().strip('"') if literal else ""
        found.append(AsmOperand(letters, strip(code, opening + 1, close), name[1] if name else ""))
        position = skip_blanks(code, close + 1)
        if code[position : position + 1] == ",":
            position = skip_blanks(code, position + 1)
    return tuple(found)


def _literals(unit: Unit, section: Span) -> Texts:
    """Return the text of adjacent string literals and macros for literals; nothing if anything else is between them."""
    parts: list[Texts] = []
    position = skip_blanks(unit.code, section.start)
    while position < section.end:
        literal = literal_at(unit, position, section.end)
        texts: Texts = (literal.text,) if literal is not None else ()
        end = literal.span.end if literal is not None else position
        if literal is None:
            texts, end = _macro(unit, position, section.end)
        if not texts:
            return ()
        parts.append(texts)
        position = skip_blanks(unit.code, end)
    return joined(parts)


def _macro(unit: Unit, start: int, end: int) -> tuple[Texts, int]:
    """Return the texts of a macro, with or without arguments, and the offset at which its use ends."""
    name = _WORD.match(unit.code, start, end)
    if name is None:
        return (), start
    opening = skip_blanks(unit.code, name.end())
    close = matching_close(unit.code, opening, end) if unit.code[opening : opening + 1] == "(" else None
    if close is None:
        return macro_texts(unit, name[0], ()), name.end()
    arguments = [unit.original(part).strip() for part in split_arguments(unit.code, opening + 1, close)]
    return macro_texts(unit, name[0], arguments), close + 1
