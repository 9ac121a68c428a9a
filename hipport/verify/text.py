"""Compare text by tokens: numbers within the tolerance, everything else exactly, ignoring white space."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from hipport.verify.model import Comparison, Difference, Rules, Tolerance

SHOWN = 10
"""Number of differences kept per output."""

_TOKEN = re.compile(
    r"""0x[0-9a-f]+
    | (?P<number> [-+]? (?: (?:\d+\.?\d* | \.\d+) (?:e[-+]?\d+)? | (?:nan|inf(?:inity)?)(?!\w) ) )
    | [a-z_]\w*
    | \S""",
    re.ASCII | re.IGNORECASE | re.VERBOSE,
)
_INTEGER = re.compile(r"([-+]?)0*(\d+)", re.ASCII)
_LONGEST = 60
"""Number of characters shown of a line."""


@dataclass(frozen=True, slots=True)
class _Token:
    """A piece of a line; `start` is its offset in the line."""

    text: str
    is_number: bool
    start: int


def close(first: float, second: float, tolerance: Tolerance) -> bool:
    """Return whether two numbers agree; NaN only with NaN, infinity only with itself."""
    if math.isnan(first) or math.isnan(second):
        return math.isnan(first) and math.isnan(second)
    if math.isinf(first) or math.isinf(second):
        return first == second
    return abs(first - second) <= max(tolerance.absolute, tolerance.relative * max(abs(first), abs(second)))


def compare_text(name: str, original: bytes, port: bytes, rules: Rules) -> Comparison:
    """Compare line by line, skipping ignored lines on both sides."""
    found: list[Difference] = []
    count, worst = 0, None
    for old, new in zip_longest(_lines(original, rules), _lines(port, rules)):
        if old is None or new is None:
            difference: Difference | None = _only(old, new)
        elif old[1] == new[1]:
            continue
        else:
            error, difference = _compare_line(old[1], new[1], _place(old[0], new[0]), rules.tolerance)
            worst = error if worst is None or (error is not None and error > worst) else worst
        if difference is not None:
            count += 1
            found += [difference] if len(found) < SHOWN else []
    return Comparison(name, "text", tuple(found), count, worst)


def _lines(data: bytes, rules: Rules) -> Iterator[tuple[int, str]]:
    """Yield numbered lines, including a last one without a line end, except ignored ones."""
    lines = data.decode("utf-8", "surrogateescape").removesuffix("\n").split("\n") if data else []
    for number, line in enumerate(lines, 1):
        if not any(pattern.search(line) for pattern in rules.ignore):
            yield number, line


def _place(old: int, new: int) -> str:
    return f"line {old}" if old == new else f"line {old}, port {new}"


def _only(old: tuple[int, str] | None, new: tuple[int, str] | None) -> Difference | None:
    number, line = old or new or (0, "")
    if not line.strip():
        return None
    text = _shortened(line)
    return Difference(f"line {number}", text if old else "(no line)", text if new else "(no line)")


def _compare_line(old: str, new: str, place: str, tolerance: Tolerance) -> tuple[float | None, Difference | None]:
    """Return the largest error in two lines, and the first difference."""
    ours, theirs = _tokens(old), _tokens(new)
    if not _alike(ours, theirs):
        return None, _texts(place, old, new)
    worst, difference = None, None
    for first, second in zip(ours, theirs, strict=True):
        if first.text == second.text:
            continue
        error, same = _compare_token(first, second, tolerance)
        worst = error if worst is None or (error is not None and error > worst) else worst
        if not same and difference is None:
            difference = (
                _numbers(place + _label(old, first), first, second) if first.is_number else _texts(place, old, new)
            )
    return worst, difference


def _numbers(place: str, first: _Token, second: _Token) -> Difference:
    detail = described_error(float(first.text), float(second.text))
    return Difference(place, _shortened(first.text), _shortened(second.text), detail)


def _label(line: str, token: _Token) -> str:
    """Return the text in front of a number as its label."""
    text = line[: token.start].strip()
    return f' "{_shortened(text)}"' if text else ""


def _texts(place: str, old: str, new: str) -> Difference:
    return Difference(place, _shortened(old), _shortened(new))


def _tokens(line: str) -> list[_Token]:
    return [_Token(match[0], match["number"] is not None, match.start()) for match in _TOKEN.finditer(line)]


def _alike(ours: Sequence[_Token], theirs: Sequence[_Token]) -> bool:
    """Return whether two lines have numbers at the same token positions."""
    return [token.is_number for token in ours] == [token.is_number for token in theirs]


def _compare_token(first: _Token, second: _Token, tolerance: Tolerance) -> tuple[float | None, bool]:
    """Return the error of two tokens, None if they are not finite numbers, and whether they agree."""
    if not first.is_number:
        return None, False
    a, b = float(first.text), float(second.text)
    error = abs(a - b) if math.isfinite(a) and math.isfinite(b) else None
    whole = _INTEGER.fullmatch(first.text), _INTEGER.fullmatch(second.text)
    if whole[0] and whole[1]:  # counts and indices have no rounding errors
        return error, _integer(whole[0]) == _integer(whole[1])
    return error, close(a, b, tolerance)


def _integer(match: re.Match[str]) -> str:
    """Normalize an integer of any length, so that equal integers have equal text."""
    sign = "-" if match[1] == "-" and match[2] != "0" else ""
    return sign + match[2]


def described_error(original: float, port: float) -> str:
    """Format the absolute and relative difference of two numbers."""
    if not (math.isfinite(original) and math.isfinite(port)):
        return ""
    error, largest = abs(original - port), max(abs(original), abs(port))
    relative = f", relative {error / largest:.3g}" if largest and math.isfinite(error) else ""
    return f"absolute {error:.3g}{relative}"


def _shortened(line: str) -> str:
    line = line.strip()
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
