"""The declared type of an argument: whether it may point to constant values, and whether it is a certain type."""

from __future__ import annotations

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.syntax.unit import Unit

_NULL = re.compile(r"\s*(?:0|NULL|nullptr)\s*")
_VARIABLE = re.compile(r"\s*[&*]?\s*([A-Za-z_]\w*)\s*(?:\[[^\]]*\])?\s*")
_MAY_BE_CONST = re.compile(r"\b(?:const|constexpr|auto|using|typedef)\b")
_POINTERS = re.compile(r"\*\s*const\b|\b(?:constexpr|auto|using|typedef)\b")
_START = re.compile(r"[;{}(),]")
_DECLARING = re.compile(r"\s*(?!(?:return|delete|else|case|goto|throw)\b)[A-Za-z_][\w:<>\s*&]*[\s*&>]\Z")
_LONGEST = 300


def is_null(text: str) -> bool:
    """Return whether an argument is a null pointer constant, which a cast of C++ does not accept."""
    return _NULL.fullmatch(text) is not None


def may_point_to_const(unit: Unit, argument: Span, pointers: bool = False) -> bool:
    """Return whether an argument may point to constant values, or with `pointers` to constant pointers.

    It does unless it is a variable that is declared without such a const.
    """
    text = unit.code[argument.start : argument.end]
    match = _VARIABLE.fullmatch(text)
    if match is None:
        return not is_null(text)
    front = _declaration(unit, match[1], argument.start)
    return front is None or (_POINTERS if pointers else _MAY_BE_CONST).search(front) is not None


def is_of_type(unit: Unit, argument: Span, name: str) -> bool:
    """Return whether an argument names the type, or is a variable declared with it."""
    text = unit.code[argument.start : argument.end]
    word = re.build(rf"\b{re.escape(name)}\b")
    if word.search(text):
        return True
    match = _VARIABLE.fullmatch(text)
    front = _declaration(unit, match[1], argument.start) if match is not None else None
    return front is not None and word.search(front) is not None


def declared_type(unit: Unit, name: str, before: int) -> str | None:
    """Return the specifiers and the type of the last declaration of a variable before an offset."""
    return _declaration(unit, name, before)


def _declaration(unit: Unit, name: str, before: int) -> str | None:
    """Return what stands in front of a variable's name in the last declaration before an offset."""
    for _, offset in reversed(unit.occurrences(frozenset({name}))):
        if offset < before:
            text = unit.code[max(0, offset - _LONGEST) : offset]
            start = max((match.end() for match in _START.finditer(text)), default=0)
            if _DECLARING.match(text[start:]):
                return text[start:]
    return None
