"""Bounds on what grammars and regular expressions become once their repetitions are written out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

MOST = 20_000
"""Bound on the size of a grammar or regular expression with all repetitions written out."""

_PART = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\{(\d+)?(,)?(\d+)?\}|.", re.DOTALL)
_MOST_DIGITS = 7


def written_out(pattern: str) -> int:
    """Return about how many characters a pattern has with its repetitions `{m,n}` written out.

    It also takes Lark grammars, whose repetitions look the same.
    """
    open_groups, sizes = [], [0]
    last = 0
    for part in _PART.finditer(pattern):
        text = part[0]
        if text == "(":
            open_groups.append(sizes[-1])
            sizes.append(0)
            last = 0
        elif text == ")" and open_groups:
            last = sizes.pop() + 1
            sizes[-1] += last
            open_groups.pop()
        elif text[0] == "{" and len(text) > 2:
            sizes[-1] += last * (_times(part) - 1)
            last *= _times(part)
        else:
            last = 1
            sizes[-1] += last
    return sum(sizes)


def patterns_of(schema: Any) -> Iterator[str]:
    """Yield the regular expressions in a JSON schema, which is walked without recursion."""
    waiting = [schema]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            if isinstance(each.get("pattern"), str):
                yield each["pattern"]
            if isinstance(each.get("patternProperties"), dict):
                yield from each["patternProperties"]
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each


def largest_count(schema: Any) -> int:
    """Return the largest number of required or permitted characters, elements or properties in a JSON schema."""
    waiting, most = [schema], 0
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            counts = (each.get(name) for name in _COUNTS)
            most = max([most, *(count for count in counts if isinstance(count, int))])
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each
    return most


_COUNTS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")


def _times(part: re.Match[str]) -> int:
    digits = part[3] or part[1] or "1"
    return max(int(digits), 1) if len(digits) <= _MOST_DIGITS else 10**_MOST_DIGITS
