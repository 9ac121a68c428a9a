"""Numbers of things in messages."""

from __future__ import annotations


def count_of(number: int, noun: str, plural: str | None = None) -> str:
    """Return the number with its noun: `1 warning`, `2,000 warnings`; `plural` is the noun with an "s" by default."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
