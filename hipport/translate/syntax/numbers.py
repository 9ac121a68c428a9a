"""Integers as sources spell them, bounded: Python refuses to read or write thousands of digits."""

from __future__ import annotations

from hipport import lazy_re as re

_LONGEST = 100
"""Characters of a literal; 64 binary digits with separators fit."""
_OCTAL = re.compile(r"0[0-9]+")


def is_wide(value: int) -> bool:
    """Return whether a value has more than the 64 bits that integers of the preprocessor have."""
    return not -(1 << 64) < value < 1 << 64


def integer(text: str) -> int | None:
    """Return the value of a literal in C++, without its suffix; None for other text, or more than 64 bits."""
    digits = text.replace("'", "")
    if len(digits) > _LONGEST or not digits.isascii():
        return None
    try:
        value = int(digits, 8) if _OCTAL.fullmatch(digits) else int(digits, 0)
    except ValueError:
        return None
    return None if is_wide(value) else value
