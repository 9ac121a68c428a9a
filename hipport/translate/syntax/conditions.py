"""Evaluation of `#if` conditions of which some macros are known: the result is a number, or None if it is not known."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from hipport import lazy_re as re

UNDEFINED = -(1 << 70)
"""The state of a macro that is not defined; its value in an expression is 0."""
State = Callable[[str], "int | None"]
"""Returns the value of a macro, UNDEFINED, or None if nothing is known about it."""
DEFINED = 1 << 70
"""The state of a macro that is defined and whose value is not known."""

_TOKEN = re.compile(
    r"\s*(?:\\\r?\n\s*)*(?:(?P<name>[A-Za-z_$][\w$]*)|(?P<number>\d[\w']*)|(?P<sign>&&|\|\||[<>=!]=|<<|>>|[-+*/%<>!()&|^~?:,]))"
)
_MOST_DIGITS = 100
"""Characters of a literal; 64 binary digits fit. Python refuses to read or write thousands."""
_OCTAL = re.compile(r"0[0-9]+")
_DEEPEST = 30
_LONGEST = 4000
"""Characters of a condition above which nothing is known about it."""
_LEVELS: tuple[frozenset[str], ...] = tuple(
    frozenset(text.split()) for text in ("||", "&&", "|", "^", "&", "== !=", "< > <= >=", "<< >>", "+ -", "* / %")
)


class _Unreadable(Exception):
    """The condition is not an expression that this module reads."""


def evaluate(word: str, text: str, state: State) -> bool | None:
    """Return whether the condition of an `#if`, `#ifdef`, `#elif`... line holds; None if that is not known."""
    if word in ("ifdef", "ifndef", "elifdef", "elifndef"):
        match = _TOKEN.match(text)
        found = state(match["name"]) if match is not None and match["name"] else None
        return None if found is None else (found == UNDEFINED) == word.endswith("ndef")
    value = value_of(text, state)
    return None if value is None else value != 0


def value_of(text: str, state: State) -> int | None:
    """Return the value of an expression of the preprocessor; None if it is not known."""
    if len(text) > _LONGEST:
        return None
    try:
        reader = _Reader(_tokens(text), state)
        value = reader.level(0)
        return value if reader.at == len(reader.tokens) else None
    except _Unreadable:
        return None


def _tokens(text: str) -> list[str]:
    found: list[str] = []
    at, end = 0, len(text.rstrip().rstrip("\\").rstrip())
    while at < end:
        match = _TOKEN.match(text, at, end)
        if match is None:
            raise _Unreadable
        found.append(match[match.lastgroup or "sign"])
        at = match.end()
    return found


class _Reader(Struct):
    """Reads tokens by precedence and evaluates them on the way."""

    tokens: list[str]
    state: State
    at: int = 0
    depth: int = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, wanted: str = "") -> str:
        token = self.peek()
        if not token or (wanted and token != wanted):
            raise _Unreadable
        self.at += 1
        return token

    def level(self, number: int) -> int | None:
        if number == len(_LEVELS):
            return self.unary()
        left = self.level(number + 1)
        while self.peek() in _LEVELS[number]:
            sign = self.take()
            left = _combined(sign, left, self.level(number + 1))
        return left

    def unary(self) -> int | None:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise _Unreadable
        token = self.take()
        try:
            if token in ("!", "-", "+", "~"):
                return _negated(token, self.unary())
            if token == "(":
                value = self.level(0)
                self.take(")")
                return value
            if token == "defined":
                return self.presence()
            return _number(token) if token[0].isdigit() else self.named(token)
        finally:
            self.depth -= 1

    def presence(self) -> int | None:
        bracket = self.peek() == "("
        if bracket:
            self.take()
        found = self.state(self.take())
        if bracket:
            self.take(")")
        return None if found is None else int(found != UNDEFINED)

    def named(self, name: str) -> int | None:
        if not (name[0].isalpha() or name[0] in "_$"):
            raise _Unreadable
        if self.peek() == "(":  # a macro with parameters, or __has_include
            self.skip_arguments()
            return None
        found = self.state(name)
        return 0 if found == UNDEFINED else None if found == DEFINED else found

    def skip_arguments(self) -> None:
        depth = 0
        while True:
            token = self.take()
            depth += (token == "(") - (token == ")")
            if not depth:
                return


def _number(token: str) -> int:
    value = integer(token.rstrip("uUlL"))
    if value is None:
        raise _Unreadable
    return value


def is_wide(value: int) -> bool:
    """Return whether a value has more than the 64 bits that integers of the preprocessor have."""
    return not -(1 << 64) < value < 1 << 64


def integer(text: str) -> int | None:
    """Return the value of a literal in C++, without its suffix; None for other text, or more than 64 bits."""
    digits = text.replace("'", "")
    if len(digits) > _MOST_DIGITS or not digits.isascii():
        return None
    try:
        value = int(digits, 8) if _OCTAL.fullmatch(digits) else int(digits, 0)
    except ValueError:
        return None
    return None if is_wide(value) else value


def _negated(sign: str, value: int | None) -> int | None:
    if value is None:
        return None
    return {"!": int(not value), "-": -value, "+": value, "~": ~value}[sign]


def _combined(sign: str, left: int | None, right: int | None) -> int | None:
    if sign == "&&" and 0 in (left, right):
        return 0
    if sign == "||" and any(side not in (None, 0) for side in (left, right)):
        return 1
    if left is None or right is None:
        return None
    if sign in ("/", "%"):
        return None if not right else left // right if sign == "/" else left % right
    if sign in ("<<", ">>"):
        value = left << right if 0 <= right < 64 else 0
        return None if not 0 <= right < 64 or is_wide(value) else value if sign == "<<" else left >> right
    value = _PLAIN[sign](left, right)
    return None if is_wide(value) else value


_PLAIN: dict[str, Callable[[int, int], int]] = {
    "||": lambda a, b: int(bool(a or b)),
    "&&": lambda a, b: int(bool(a and b)),
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "&": lambda a, b: a & b,
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    ">": lambda a, b: int(a > b),
    "<=": lambda a, b: int(a <= b),
    ">=": lambda a, b: int(a >= b),
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
}
