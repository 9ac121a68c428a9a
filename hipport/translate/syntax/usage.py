"""Token-based checks of what a name does at a place, used or defined, which settle most places without a tree."""

from __future__ import annotations

from hipport import lazy_re as re
from hipport.translate.syntax.brackets import matching_open, skip_blanks, skip_blanks_back, start_behind

_WORD = re.compile(r"[A-Za-z_$][\w$]*\Z")
_STARTS_EXPRESSION = frozenset({"return", "else", "case", "throw", "sizeof", "goto", "do", "delete", "co_return"})
_BEFORE_TYPE = frozenset({"operator"})
"""Words behind which a name is the type that a conversion function returns."""
_BEFORE_STATEMENT = frozenset({"if", "while", "for", "switch"})
_TYPES = frozenset(
    {"void", "bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "auto"}
    | {"const", "volatile", "static", "inline", "constexpr", "extern"}
)
_AFTER_TYPE = re.compile(r"(?!__|final\b|alignas\b|asm\b)[A-Za-z_]")
"""Matches what can follow a type but not a name being declared (attributes may follow that)."""

_AFTER_USE = frozenset("*&.+-/|?!<%^]")
"""Characters that cannot follow a name being declared."""

_OPERATORS = frozenset("=!<?+-/%|^~[:;")
_SHOWN = 2000
_LONGEST_WORD = 100
_VARIABLE = r"(?P<variable>\b(?:__device__|__constant__|__managed__|static)\s[^=]*\Z)"
_CLASS = r"(?P<type>\b(?:struct|class|union|enum)\s+\Z)"
_DEFINING = {
    ";": re.compile(rf"(?P<type>\btypedef\s)|{_VARIABLE}"),
    "=": re.compile(rf"(?P<type>\busing\s+\Z)|{_VARIABLE}"),
    ",": re.compile(_VARIABLE),
    "[": re.compile(_VARIABLE),
    ":": re.compile(_CLASS),
    "{": re.compile(_CLASS),
}
"""Patterns by the sign behind a name, which match what stands in front of it in its definition."""
_LONGEST_DEFINITION = 1000
"""Characters of a definition in front of its name."""


def only_uses(code: str, start: int, end: int) -> bool:
    """Return whether the name in this range certainly refers to something defined elsewhere; False if undecided.

    A defined name follows a type, maybe with `*` and `&` or in parentheses, or a keyword such as `struct`, or is in a
    list of declarators or enumerators.
    """
    before, after = skip_blanks_back(code, start), skip_blanks(code, end)
    last, following = code[before - 1 : before], code[after : after + 1]
    if following in _AFTER_USE or _AFTER_TYPE.match(code, after):
        return True
    if last in ("*", "&"):
        while code[before - 1 : before] in ("*", "&"):
            before = skip_blanks_back(code, before - 1)
        return _behind_stars(code, before, following)
    if last.isalnum() or last in ("_", "$"):
        return _word_before(code, before) in _STARTS_EXPRESSION | _BEFORE_TYPE
    if following == ">":
        return True
    if last in ("{", "}"):
        return following == "("
    return _behind_sign(code, before, after)


def _behind_stars(code: str, before: int, following: str) -> bool:
    """Return whether the `*` or `&` before a name is an operator, not part of a declarator."""
    last = code[before - 1 : before]
    if last == "(":
        return following not in ("(", ")", "[")
    if last == ",":
        return _in_parentheses(code, before)
    return last in _OPERATORS or last in ("{", "}")


def _behind_sign(code: str, before: int, after: int) -> bool:
    last = code[before - 1 : before]
    if last == "(":
        return _behind_opening(code, before - 1, after)
    if last == ")":
        return _behind_parentheses(code, before - 1)
    if last == ",":
        return _in_parentheses(code, before)
    return last in _OPERATORS


def _behind_opening(code: str, opening: int, after: int) -> bool:
    """Return whether `(` precedes a use: `f(name`, not `int (name`, nor `T (name)(…)`."""
    before = skip_blanks_back(code, opening)
    word = _word_before(code, before)
    if word in _TYPES or code[after : after + 1] != ")":
        return word not in _TYPES
    called = skip_blanks_back(code, before - len(word))
    behind = skip_blanks(code, after + 1)
    return bool(word) and not _ends_type(code, called) and code[behind : behind + 1] not in ("(", "{", "[", "=")


def _behind_parentheses(code: str, close: int) -> bool:
    """Return whether `)` precedes a use: `if (…) name` and casts, not `__attribute__((…)) name`."""
    opening = matching_open(code, close)
    if opening is None:
        return False
    before = skip_blanks_back(code, opening)
    last = code[before - 1 : before]
    if last.isalnum() or last in ("_", "$"):
        return _word_before(code, before) in _STARTS_EXPRESSION | _BEFORE_STATEMENT
    return last in ("(", ",") or last in _OPERATORS


def _ends_type(code: str, end: int) -> bool:
    last = code[end - 1 : end]
    return last.isalnum() or last in ("_", "$", "*", "&", ">") or not last


def _in_parentheses(code: str, end: int) -> bool:
    """Return whether a comma separates arguments or parameters; not those of a `for`, which declares names."""
    start = max(0, end - _SHOWN)
    boundary = max(code.rfind(sign, start, end) for sign in ";{}")
    if boundary < 0 < start:
        return False
    boundary = max(boundary, start)
    return code.count("(", boundary, end) > code.count(")", boundary, end) and code.find("for", boundary, end) < 0


def _word_before(code: str, end: int) -> str:
    match = _WORD.search(code, max(0, end - _LONGEST_WORD), end)
    return match[0] if match is not None else ""


def defined_kind(code: str, start: int, end: int) -> str:
    """Return what the name in a range is defined to be, "type" or "variable"; an empty string if it is only used."""
    behind = skip_blanks(code, end)
    pattern = _DEFINING.get(code[behind : behind + 1])
    if pattern is None:
        return ""
    match = pattern.search(code, start_behind(code, start, ";{}()", _LONGEST_DEFINITION), start)
    return match.lastgroup or "" if match is not None else ""
