"""Find comments, strings, brackets and conditions that are never closed.

Good code can look unbalanced: branches of an `#if` open a block twice, and macros open and close blocks. So a bracket
counts as missing only if it is missing whichever branches are taken, and not where a macro may have it.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator

from msgspec import Struct

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.syntax.brackets import pairs
from hipport.translate.syntax.lexer import Directive, blank
from hipport.translate.syntax.unit import Unit

_BRACKETS = "()[]{}"
_CLOSING = {")": "(", "]": "[", "}": "{"}
_BRACKET = re.compile(r"[()\[\]{}]")
_TOKEN = re.compile(r"[()\[\]{}]|(?<![\w$])[A-Za-z_$][\w$]*")
_BLOCK_MACRO = re.compile(
    r"(?:\A|_)(?:BEGIN|END|OPEN|CLOSE|ENTER|LEAVE|PUSH|POP|START|STOP|NAMESPACE|NS|DECLS)(?:_|\Z)"
)
"""Matches names of macros that may open or close a block."""

_RAW = re.compile(r'\bu?8?[uUL]?R"')
"""Matches a raw string, whose delimiter may have quotes."""

_NO_QUOTES = bytes(set(range(256)) - set(b'"\n'))


class _Path(enum.Enum):
    """Which branches of conditions are taken."""

    FIRST = enum.auto()
    LAST = enum.auto()
    ELSE = enum.auto()
    """The last branch of conditions with an `#else`, none of the others."""


class Missing(Struct, frozen=True):
    """A construct that is not closed, or is closed without being opened: its name and its offset."""

    what: str
    offset: int


def missing(unit: Unit) -> Missing | None:
    """Return the first thing that a source lacks an end of, or a beginning; None for a complete source."""
    return _comment(unit) or _string(unit) or _condition(unit) or _bracket(unit)


def _comment(unit: Unit) -> Missing | None:
    if not unit.lexed.comments:
        return None
    last = unit.lexed.comments[-1]
    text = unit.source.text[last.start : last.end]
    closed = text.startswith(b"//") or (text.endswith(b"*/") and len(text) > len(b"/*/"))
    return None if closed else Missing("comment", last.start)


def _string(unit: Unit) -> Missing | None:
    """Find a line with a quote that is not closed; text that is left out, as by `#if 0`, may have any quotes."""
    quotes = unit.code.encode("ascii").translate(None, _NO_QUOTES)
    if b'"' not in quotes.replace(b'""', b""):
        return None
    offset = 0
    for line in _selected(unit, _Path.FIRST).split("\n"):
        if line.count('"') % 2 and not _RAW.search(line):
            return Missing("string", offset + line.rindex('"'))
        offset += len(line) + 1
    return None


def _condition(unit: Unit) -> Missing | None:
    if not unit.directives or not unit.directives[-1].after:
        return None
    number = unit.directives[-1].after[-1][0]
    return Missing(f"#{unit.directives[number].word}", unit.directives[number].span.start)


def _bracket(unit: Unit) -> Missing | None:
    count = sum(unit.code.count(bracket) for bracket in _BRACKETS)
    if count == 2 * len(pairs(unit.code).closes):
        return None
    found = [_unmatched(unit, _selected(unit, path)) for path in _Path]
    if None in found or any(_BLOCK_MACRO.search(word) and word.isupper() for word in unit.words):
        return None
    return found[0]


def _selected(unit: Unit, path: _Path) -> str:
    """Return the code without preprocessor lines and without the branches that are not taken."""
    pieces: list[str] = []
    done = 0
    for span in _left_out(unit, path):
        if span.end > done:
            start = max(span.start, done)
            pieces += (unit.code[done:start], blank(unit.code[start : span.end]))
            done = span.end
    return "".join([*pieces, unit.code[done:]])


def _left_out(unit: Unit, path: _Path) -> Iterator[Span]:
    """Yield the ranges of preprocessor lines and of branches that are not taken, in order."""
    conditions = _conditions(unit)
    taken = {number: _taken(unit, lines, path) for number, lines in conditions.items()}
    open_ended = {n: lines for n, lines in conditions.items() if taken[n] < 0 and not _is_never(unit, lines[0])}
    uneven = _uneven(unit, open_ended) if open_ended else []
    # Of conditions within one another all are uneven, of others at least two, or nothing makes up for one.
    if uneven and all(_is_within(unit, conditions[number], uneven[0]) for number in uneven):
        taken |= dict.fromkeys(uneven, 0)
    starts = [line.span.start for line in unit.directives] + [len(unit.code)]
    for line, end in zip(unit.directives, starts[1:], strict=True):
        out = any(taken.get(number, 0) != branch for number, branch in line.after)
        yield Span(line.span.start, end if out else line.span.end)


def _uneven(unit: Unit, conditions: dict[int, list[Directive]]) -> list[int]:
    """Return the conditions, all without `#else`, whose code has brackets without a counterpart in it."""
    code = _selected(unit, _Path.FIRST)
    starts = [line.span.start for line in unit.directives] + [len(unit.code)]
    ends = {
        number: end
        for line, end in zip(unit.directives, starts[1:], strict=True)
        for number, branch in line.after
        if branch == 0
    }
    return [number for number, lines in conditions.items() if _left(code[lines[0].span.end : ends[number]])]


def _is_never(unit: Unit, line: Directive) -> bool:
    """Return whether a condition is `#if 0`."""
    return unit.code[line.body.start : line.body.end].strip() in ("0", "false")


def _is_within(unit: Unit, lines: list[Directive], number: int) -> bool:
    return any(condition == number for condition, _ in lines[0].after)


def _conditions(unit: Unit) -> dict[int, list[Directive]]:
    """Return the lines that begin the branches of each condition."""
    found: dict[int, list[Directive]] = {}
    for line in unit.directives:
        if line.after and line.word.startswith(("if", "el")):
            found.setdefault(line.after[-1][0], []).append(line)
    return found


def _taken(unit: Unit, lines: list[Directive], path: _Path) -> int:
    """Return the number of the branch that is taken, -1 for none; `#if 0` never is."""
    if lines[0].word == "if" and _is_never(unit, lines[0]):
        return 1 if len(lines) > 1 else -1
    if path is _Path.FIRST:
        return 0
    if path is _Path.LAST or lines[-1].word == "else":
        return len(lines) - 1
    return -1


def _unmatched(unit: Unit, code: str) -> Missing | None:
    """Return the first bracket without a counterpart; brackets in macros of the file count where these are used."""
    effects = {name: effect for name in unit.macros if (effect := _effect(unit, name))}
    waiting: list[tuple[str, int]] = []
    for match in (_TOKEN if effects else _BRACKET).finditer(code):
        word = match[0]
        for sign in word if word in _BRACKETS else effects.get(word, ""):
            if sign not in _CLOSING:
                waiting.append((sign, match.start()))
            elif waiting and waiting[-1][0] == _CLOSING[sign]:
                waiting.pop()
            else:
                return _named(*(waiting[-1] if waiting else (sign, match.start())))
    return _named(*waiting[-1]) if waiting else None


def _effect(unit: Unit, name: str) -> str:
    """Return the brackets of a macro's body that have no counterpart in it."""
    body = unit.macros[name][0]
    return _left(unit.code[body.start : body.end])


def _left(code: str) -> str:
    """Return the brackets without a counterpart."""
    left: list[str] = []
    for sign in _BRACKET.findall(code):
        if sign in _CLOSING and left and left[-1] == _CLOSING[sign]:
            left.pop()
        else:
            left.append(sign)
    return "".join(left)


def _named(sign: str, offset: int) -> Missing:
    names = {"(": "parenthesis", "[": "bracket", "{": "brace"}
    return Missing(names[_CLOSING.get(sign, sign)], offset)
