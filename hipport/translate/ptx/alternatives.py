"""Translation of a statement whose text depends on how a macro is defined: the compiler chooses by the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from hipport import lazy_re as re
from hipport.translate.ptx.operands import BoundOperand
from hipport.translate.ptx.statement import AsmStatement
from hipport.translate.ptx.translate import Translation, parse_statement, translate
from hipport.translate.ptx.tree import Block, PtxSyntaxError

_LINE_END = re.compile(r"\s*\\?\n\s*")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}


def translate_all(
    statement: AsmStatement, block: Block, operands: Sequence[BoundOperand], carry: str, written: str
) -> Translation:
    """Translate a parsed statement for each text that it may have; `written` is the text in the source.

    In a macro whose arguments are in the text, a `static_assert` says if another file calls it with other arguments.
    Raises `Unsupported` and `PtxSyntaxError`.
    """
    first = translate(statement, block, operands, carry)
    if not statement.others and not statement.by_calls:
        return first
    of_texts = [(statement.text or "", translate(replace(statement, closed=True), block, operands, carry))]
    for text in statement.others:
        other = replace(statement, text=text, closed=True, others=())
        of_texts.append((text, translate(other, parse_statement(other), operands, carry)))
    same = len({found.lines for _, found in of_texts}) == 1
    if same and not statement.by_calls:
        return first
    if "//" in written or "/*" in written:
        raise PtxSyntaxError("there is a comment in its text, which macros assemble")
    text_is = _LINE_END.sub(" ", written)
    lines = of_texts[0][1].lines if same else tuple(_chosen(of_texts, text_is))
    if statement.by_calls:
        # Another file may call the macro with other arguments.
        known = " || ".join(f"HIPPORT_PTX_TEXT_IS({text_is}, {_literal(text)})" for text, _ in of_texts)
        lines = ("{", f'    static_assert({known}, "hipport has not translated this text");', *map(_deeper, lines), "}")
    return Translation(
        lines if statement.closed else ("do {", *map(_deeper, lines), "} while (0)"),
        frozenset({"text.h"}.union(*(found.headers for _, found in of_texts))),
        tuple(dict.fromkeys(caveat for _, found in of_texts for caveat in found.caveats)),
    )


def _chosen(of_texts: Sequence[tuple[str, Translation]], written: str) -> Iterator[str]:
    """Yield an `if` for every text except the last one."""
    for number, (text, found) in enumerate(of_texts):
        last = number == len(of_texts) - 1
        condition = f"if (HIPPORT_PTX_TEXT_IS({written}, {_literal(text)})) {{"
        front = "} else " if number else ""
        yield f"{front}{{" if last else front + condition
        yield from map(_deeper, found.lines)
    yield "}"


def _deeper(line: str) -> str:
    return f"    {line}"


def _literal(text: str) -> str:
    return '"' + "".join(_ESCAPES.get(character, character) for character in text) + '"'
