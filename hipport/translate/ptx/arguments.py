"""Translations of `asm` that is part of a macro's argument: commas that no parentheses enclose would split it."""

from __future__ import annotations

from collections.abc import Sequence

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.ptx.statement import AsmStatement
from hipport.translate.syntax.unit import Unit

_OPENING, _CLOSING = "([{", ")]}"
_MACRO_NAME = re.compile(r"\b([A-Z_][A-Z0-9_]*)\s*\Z")
_SIGNS = re.compile(r"[()\[\]{};]")
_LONGEST = 20_000
"""Characters in front of a statement to search for the parenthesis that encloses it."""


def in_arguments(unit: Unit, statement: AsmStatement, lines: Sequence[str]) -> Sequence[str]:
    """Return the lines, in parentheses if they are in a macro's argument and have a comma that would split it."""
    if not _splits(lines) or not _in_macro_call(unit, statement.span):
        return lines
    if len(lines) == 1 and not statement.closed:
        return [f"({lines[0]})"]
    closed = ";" if statement.closed else ""
    inner = lines if statement.closed or len(lines) == 1 else (*lines[:-1], lines[-1] + ";")
    return ["([&] {", *(f"    {line}" for line in inner), f"}}()){closed}"]


def _splits(lines: Sequence[str]) -> bool:
    """Return whether the text has a comma outside of parentheses."""
    depth = 0
    for character in "".join(lines):
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            return True
    return False


def _in_macro_call(unit: Unit, span: Span) -> bool:
    """Return whether the nearest parenthesis around a statement follows a macro's name."""
    code, depth = unit.code, 0
    first = max(0, span.start - _LONGEST)
    for match in reversed([*_SIGNS.finditer(code, first, span.start)]):
        character, position = match[0], match.start()
        if character in _CLOSING:
            depth += 1
        elif character in _OPENING and depth:
            depth -= 1
        elif character == "(":
            name = _MACRO_NAME.search(code, max(first, position - 200), position)
            return name is not None and len(name[1]) > 1
        elif character == ";" and not depth and _ends_function(code, position):
            return False
    return False


def _ends_function(code: str, semicolon: int) -> bool:
    """Return whether a semicolon ends a declaration at the left margin: no call reaches over it."""
    return code[semicolon - 1 : semicolon] == "}" and code[semicolon + 1 : semicolon + 2] in {"\n", ""}
