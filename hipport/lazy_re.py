"""The module `re`, with patterns that are compiled on first use: `from hipport import lazy_re as re`.

A command uses a tenth of the patterns of the modules that it imports. Compiling all of them takes longer than
translating a small file.

A search is 20 to 50 times as fast if a pattern begins with a literal, since `re` only tries where that occurs. Patterns
that begin with an assertion in front of one, as in `\\busing`, are compiled with the assertion behind it instead.
"""

from __future__ import annotations

import re
from re import (
    ASCII,
    DOTALL,
    IGNORECASE,
    MULTILINE,
    VERBOSE,
    Match,
    Pattern,
    escape,
    findall,
    finditer,
    fullmatch,
    match,
    search,
    split,
    sub,
)
from typing import Any, AnyStr, cast

__all__ = [
    "ASCII",
    "DOTALL",
    "IGNORECASE",
    "MULTILINE",
    "VERBOSE",
    "Match",
    "Pattern",
    "compile",
    "escape",
    "findall",
    "finditer",
    "fullmatch",
    "match",
    "search",
    "split",
    "sub",
]


class LazyPattern:
    """Stands for a pattern, and compiles it when a method or an attribute is asked for."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self.source = text, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        text, flags = self.source
        fast = literal_first(text) if isinstance(text, str) else literal_first(text.decode("latin-1")).encode("latin-1")
        value = getattr(re.compile(text if flags & re.VERBOSE else fast, flags), name)
        setattr(self, name, value)  # from now on it is found without this method
        return value


def compile(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what `re.compile` returns; a mistake in the pattern is only found when it is used."""
    return cast("re.Pattern[AnyStr]", LazyPattern(text, flags))


_ASSERTED = re.compile(
    r"(?:\\b|\(\?<!(?P<sign>\[(?:[^\]\\]|\\.)+\])\))"
    r"(?:(?P<word>\w+)|(?P<group>\((?:\?:)?)(?P<words>\w+(?:\|\w+)*)\))(?P<behind>(?s:.?))"
)
"""Matches a word boundary, or a sign that must not precede, and the word or the choice of words behind it."""


def literal_first(text: str) -> str:
    """Return a pattern that matches the same, with an assertion at its beginning moved behind the words there."""
    match = _ASSERTED.match(text)
    if match is None:
        return text
    sign, behind = match["sign"] or r"\w", match["behind"]
    is_repeated = behind != "" and behind in "?*+{"
    if match["words"]:
        words = "|".join(f"{word}(?<!{sign}{word})" for word in match["words"].split("|"))
        return text if is_repeated else f"{match['group']}{words}){text[match.end('words') + 1 :]}"
    word = match["word"][: -1 if is_repeated else None]
    return f"{word}(?<!{sign}{word}){text[match.start('word') + len(word) :]}" if word else text
