"""Bracket matching, argument splitting and expression extents in lexed code, for code the grammar cannot parse."""

from __future__ import annotations

from msgspec import Struct

from hipport import lazy_re as re
from hipport.source import Span

_OPENING = {"(": ")", "[": "]", "{": "}"}
_CLOSING = {close: open_ for open_, close in _OPENING.items()}
_ANY = re.compile(r"[()\[\]{}]")
_BRACKETS = frozenset("()[]{}")
_UNPROTECTED = re.compile(r"[,(\[{]")
_STOP = re.compile(r"[()\[\]{},;<>]")
_DEEPEST = 64
"""Limit on nested template argument lists: deeper nesting is not a template, and would be slow to follow."""

_KEPT = 4
"""Texts whose bracket pairs are kept."""
_TEMPLATE_TOKEN = re.compile(r"[<>()\[\]{};]|&&|\|\|")


def matching_close(code: str, start: int, end: int | None = None) -> int | None:
    """Return the offset of the bracket that closes the first one at or after `start`.

    None when it is not closed before `end`.
    """
    if code[start : start + 1] not in _BRACKETS:
        match = _ANY.search(code, start)
        start = match.start() if match is not None else len(code)
    close = pairs(code).closes.get(start)
    return None if close is None or (end is not None and close >= end) else close


def matching_open(code: str, end: int) -> int | None:
    """Return the offset of the bracket that the closing bracket at `end` matches."""
    return pairs(code).opens.get(end)


class Pairs(Struct, frozen=True):
    """Matched brackets, with only matched brackets between them: opening to closing offset, and back."""

    closes: dict[int, int]
    opens: dict[int, int]


class _Latest:
    """The bracket pairs of the texts that were asked for last, found by identity.

    Comparing a text with an equal one, as a cache does whose keys are texts, takes as long as reading it each time.
    """

    def __init__(self) -> None:
        self._kept: tuple[tuple[str, Pairs], ...] = ()

    def __call__(self, code: str) -> Pairs:
        """Return all bracket pairs of a text."""
        for text, known in self._kept:
            if text is code:
                return known
        found = next((known for text, known in self._kept if text == code), None) or _pairs(code)
        self._kept = ((code, found), *self._kept[: _KEPT - 1])
        return found


pairs = _Latest()


def _pairs(code: str) -> Pairs:
    """Return all bracket pairs; one pass, since matching each in turn is quadratic where many brackets are unclosed."""
    closes: dict[int, int] = {}
    waiting: list[tuple[str, int]] = []
    for position in [match.start() for match in _ANY.finditer(code)]:
        bracket = code[position]
        if bracket in _OPENING:
            waiting.append((_OPENING[bracket], position))
        elif waiting and waiting[-1][0] == bracket:
            closes[waiting.pop()[1]] = position
        else:
            waiting.clear()
    return Pairs(closes, {close: open_ for open_, close in closes.items()})


def template_close(code: str, start: int, end: int) -> int | None:
    """Return the offset of the `>` that closes the `<` at `start` if it can be a template argument list."""
    depth = 0
    position = start
    while match := _TEMPLATE_TOKEN.search(code, position, end):
        token, position = match[0], match.end()
        if token == "<" and depth < _DEEPEST:
            depth += 1
        elif token == ">":
            depth -= 1
            if depth == 0:
                return match.start()
        elif token in _OPENING:
            close = matching_close(code, match.start(), end)
            if close is None:
                return None
            position = close + 1
        else:
            return None
    return None


def split_arguments(code: str, start: int, end: int) -> tuple[Span, ...]:
    """Split the text between two brackets at top-level commas and strip blanks from each argument.

    `f<a, b>(c)` counts as one argument where the angle brackets can be a template argument list. An empty range has no
    arguments.
    """
    arguments: list[Span] = []
    first = position = start
    while match := _STOP.search(code, position, end):
        position = match.end()
        if match[0] == ",":
            arguments.append(strip(code, first, match.start()))
            first = position
        elif match[0] in _OPENING:
            close = matching_close(code, match.start(), end)
            position = end if close is None else close + 1
        elif match[0] == "<" and _is_name_end(code, match.start(), start):
            close = template_close(code, match.start(), end)
            position = position if close is None else close + 1
    last = strip(code, first, end)
    if arguments or last.start < last.end:
        arguments.append(last)
    return tuple(arguments)


def strip(code: str, start: int, end: int) -> Span:
    """Trim blanks and line continuations from both ends of the range."""
    while start < end and code[start] in " \t\r\n\\":
        start += 1
    while end > start and code[end - 1] in " \t\r\n\\":
        end -= 1
    return Span(start, end)


def skip_blanks(code: str, position: int) -> int:
    """Return the first non-blank offset at or after `position`."""
    while position < len(code) and code[position] in " \t\r\n\\":
        position += 1
    return position


def skip_blanks_back(code: str, position: int) -> int:
    """Return the offset after the last non-blank character before `position`."""
    while position > 0 and code[position - 1] in " \t\r\n\\":
        position -= 1
    return position


def start_behind(code: str, position: int, signs: str, farthest: int) -> int:
    """Return the offset behind the last of some signs in front of a position, `farthest` characters away at most."""
    first = max(0, position - farthest)
    return max(first, *(code.rfind(sign, first, position) + 1 for sign in signs))


def word_before(code: str, position: int) -> str:
    """Return the name in front of a position, without the blanks between; an empty string if there is none."""
    end = skip_blanks_back(code, position)
    word = code[_word_start(code, end) : end]
    return word if word.isidentifier() else ""


def _is_name_end(code: str, position: int, start: int) -> bool:
    before = skip_blanks_back(code, position)
    return before > start and (code[before - 1].isalnum() or code[before - 1] in "_$")


def callee_start(code: str, end: int) -> int | None:
    """Return where the callee expression that ends at `end` begins.

    Such an expression is `ns::k<T, N>`, `obj.template k<T>`, `(*f)` or `table[i]`. None when no expression ends there.
    """
    position = skip_blanks_back(code, end)
    while True:
        start = _primary_start(code, position)
        if start is None:
            return None
        before = skip_blanks_back(code, start)
        joint = _joint(code, before)
        if joint is None:
            return start
        start = position = skip_blanks_back(code, before - joint)
        if joint == 2 and code[before - 2 : before] == "::" and not _ends_expression(code, position):
            return before - 2


def _joint(code: str, end: int) -> int | None:
    """Return the length of the `::`, `->` or `.` that ends at `end`; None if there is none."""
    if code[end - 2 : end] in ("::", "->"):
        return 2
    return 1 if code[end - 1 : end] == "." else None


def _ends_expression(code: str, end: int) -> bool:
    return end > 0 and (code[end - 1].isalnum() or code[end - 1] in "_$>)]")


_KEYWORDS = frozenset({"return", "else", "do", "case", "throw", "co_return", "co_yield", "new", "delete", "template"})


def _primary_start(code: str, end: int) -> int | None:
    """Return where a name, with its template arguments, subscripts, call arguments or parentheses, begins."""
    position = end
    while position > 0 and code[position - 1] in ")]>":
        opening = template_open(code, position - 1) if code[position - 1] == ">" else matching_open(code, position - 1)
        if opening is None:
            return None
        before = skip_blanks_back(code, opening)
        word = _word_start(code, before)
        if code[opening] == "(" and (word == before or code[word:before] in _KEYWORDS | {"if", "while", "for"}):
            return opening
        position = before
    word = _word_start(code, position)
    if word == position:
        return None
    before = skip_blanks_back(code, word)
    if code[_word_start(code, before) : before] == "template" and _joint(
        code, skip_blanks_back(code, before - len("template"))
    ):
        return before - len("template")
    return word


def _word_start(code: str, end: int) -> int:
    while end > 0 and (code[end - 1].isalnum() or code[end - 1] in "_$"):
        end -= 1
    return end


def template_open(code: str, end: int) -> int | None:
    """Return the offset of the `<` of the template argument list that the `>` at `end` closes."""
    if code[max(0, end - 1) : end] == "-":  # an arrow, from which the way back may be long
        return None
    depth = 0
    position = end
    while position >= 0:
        character = code[position]
        if character == ">" and depth < _DEEPEST:
            depth += 1
        elif character == "<":
            depth -= 1
            if depth == 0:
                return position
        elif character in _CLOSING:
            opening = matching_open(code, position)
            if opening is None:
                return None
            position = opening
        elif character in ";{(>":
            return None
        position -= 1
    return None


def ends_template_head(code: str, end: int) -> bool:
    """Return whether the `>` in front of an offset closes the parameters of a `template <...>`."""
    opening = template_open(code, end - 1)
    return opening is not None and word_before(code, opening) == "template"


def has_bare_comma(code: str, span: Span) -> bool:
    """Return whether a macro would split this text into several arguments: only parentheses protect a comma."""
    position = span.start
    while match := _UNPROTECTED.search(code, position, span.end):
        if match[0] == ",":
            return True
        if match[0] == "(":
            close = matching_close(code, match.start(), span.end)
            if close is None:
                return True
            position = close + 1
        else:
            position = match.end()
    return False
