"""The headers of `#include` lines that macros put together: `#include HEADER(runtime)`, `#include FOLDER/atomic>`."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.syntax.lexer import DirectiveKind, parameters
from hipport.translate.syntax.unit import Unit

_TOKEN = re.compile(r"\"(?:[^\"\\]|\\.)*\"|\w+|##|\s+|.")
_HEADER = re.compile(r"<\s*([^<>\"]+?)\s*>|\"([^<>\"]+)\"")
_BETWEEN = re.compile(r"/\*[\s\S]*?\*/|//.*")
_PASTE = re.compile(r"\s*##\s*")
_DEEPEST = 16
_LONGEST = 1000
"""Bounds of an expansion: macros may double a text each time."""


class Macro(Struct, frozen=True):
    """A macro: `parameters` is None if it has none, not even an empty list."""

    parameters: tuple[str, ...] | None
    body: str


def macros_of(unit: Unit) -> dict[str, Macro]:
    """Return the macros that the file defines once."""
    found: dict[str, Macro | None] = {}
    for line in unit.directives:
        if line.kind is DirectiveKind.DEFINE and line.name:
            head = text_in(unit, Span(line.span.start, line.body.start))
            takes = tuple(parameters(head)) if head.partition(line.name)[2].startswith("(") else None
            macro = Macro(takes, text_in(unit, line.body))
            found[line.name] = None if line.name in found else macro
    return {name: macro for name, macro in found.items() if macro is not None}


def text_in(unit: Unit, span: Span) -> str:
    """Return a part of a preprocessor line without comments and continuations."""
    text = unit.source.text[span.start : span.end].decode("latin-1")
    return _BETWEEN.sub(" ", text.replace("\\\r\n", "").replace("\\\n", "")).strip()


def header_of(operand: str, macros: dict[str, Macro]) -> str:
    """Return the header that an operand expands to, empty if it does not become one."""
    match = _HEADER.fullmatch(_expanded(operand.strip(), macros, frozenset(), _DEEPEST).strip())
    return (match[1] or match[2]) if match is not None else ""


def _expanded(text: str, macros: dict[str, Macro], hidden: frozenset[str], depth: int) -> str:
    tokens = _TOKEN.findall(text)
    if depth == 0 or len(text) > _LONGEST:
        return text
    made, at = "", 0
    while at < len(tokens):
        token, at = tokens[at], at + 1
        macro = macros.get(token) if token not in hidden else None
        given = _arguments(tokens, at) if macro is not None and macro.parameters is not None else None
        if macro is None or (macro.parameters is not None and given is None):
            made += token
            continue
        if given is not None:
            at = given[1]
        body = _substituted(macro, given[0] if given is not None else (), macros, hidden, depth)
        made += _expanded(body, macros, hidden | {token}, depth - 1)
    return made


def _arguments(tokens: Sequence[str], at: int) -> tuple[list[str], int] | None:
    """Return the arguments of a call whose parenthesis comes next, and where it ends; None if there is no call."""
    while at < len(tokens) and tokens[at].isspace():
        at += 1
    if at == len(tokens) or tokens[at] != "(":
        return None
    found, depth = [""], 0
    for number, token in enumerate(tokens[at + 1 :], at + 1):
        if token == ")" and depth == 0:
            return [argument.strip() for argument in found], number + 1
        depth += (token == "(") - (token == ")")
        if token == "," and depth == 0:
            found.append("")
        else:
            found[-1] += token
    return None


def _substituted(
    macro: Macro, arguments: Sequence[str], macros: dict[str, Macro], hidden: frozenset[str], depth: int
) -> str:
    """Return the body with its arguments: as they are beside `#` and `##`, expanded elsewhere."""
    given = dict(zip(macro.parameters or (), arguments, strict=False))
    tokens = _TOKEN.findall(_PASTE.sub("##", macro.body))
    made = ""
    for at, token in enumerate(tokens):
        before, after = tokens[at - 1] if at else "", tokens[at + 1] if at + 1 < len(tokens) else ""
        if token == "##" or (token == "#" and after in given):
            continue
        if token not in given:
            made += token
        elif before == "#":
            made += f'"{given[token]}"'
        elif "##" in (before, after):
            made += given[token]
        else:
            made += _expanded(given[token], macros, hidden, depth - 1)
    return made
