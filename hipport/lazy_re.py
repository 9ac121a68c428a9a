"""The module `re`, with patterns that are compiled on first use: `from hipport import lazy_re as re`.

A command uses a tenth of the patterns of the modules that it imports. Compiling all of them takes longer than
translating a small file. A program may `keep` the compiled ones for its next run.

A search is 20 to 50 times as fast if a pattern begins with a literal, since `re` only tries where that occurs. Patterns
that begin with an assertion in front of one, as in `\\busing`, are compiled with the assertion behind it instead.
"""

from __future__ import annotations

import re
from functools import cache
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

from hipport.pattern_codes import PatternCodes

__all__ = [
    "ASCII",
    "DOTALL",
    "IGNORECASE",
    "MULTILINE",
    "VERBOSE",
    "Match",
    "Pattern",
    "build",
    "compile",
    "escape",
    "findall",
    "finditer",
    "fullmatch",
    "keep",
    "match",
    "search",
    "split",
    "sub",
]


_codes = PatternCodes()


def keep(codes: PatternCodes) -> None:
    """Take compiled patterns from there from now on."""
    global _codes
    _codes = codes


class LazyPattern:
    """Stands for a pattern, and compiles it when a method or an attribute is asked for."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self.source = text, int(flags)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = _codes.compiled(self.source, self._fast) if name == "compiled" else getattr(self.compiled, name)
        setattr(self, name, value)  # from now on it is found without this method
        return value

    def _fast(self) -> str | bytes:
        text, flags = self.source
        if flags & re.VERBOSE:
            return text
        return literal_first(text) if isinstance(text, str) else literal_first(text.decode("latin-1")).encode("latin-1")


def compile(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what `re.compile` returns; a mistake in the pattern is only found when it is used."""
    return cast("re.Pattern[AnyStr]", LazyPattern(text, flags))


def build(text: str) -> re.Pattern[str]:
    """Compile a pattern that contains names of a source at once: it is for this run alone."""
    return re.compile(literal_first(text))


@cache
def _asserted() -> re.Pattern[str]:
    """Return what matches a word boundary, or a sign that must not precede, and the words, or one word, behind it."""
    return re.compile(
        r"(?:\\b|\(\?<!(?P<sign>\[(?:[^\]\\]|\\.)+\])\))"
        r"(?:(?P<word>\w+)|(?P<group>\((?:\?:)?)(?P<words>\w+(?:\|\w+)*)\))(?P<behind>(?s:.?))"
    )


def literal_first(text: str) -> str:
    """Return a pattern that matches the same, with an assertion at its beginning moved behind the words there."""
    match = _asserted().match(text)
    if match is None:
        return text
    sign, behind = match["sign"] or r"\w", match["behind"]
    is_repeated = behind != "" and behind in "?*+{"
    if match["words"]:
        words = "|".join(f"{word}(?<!{sign}{word})" for word in match["words"].split("|"))
        return text if is_repeated else f"{match['group']}{words}){text[match.end('words') + 1 :]}"
    word = match["word"][: -1 if is_repeated else None]
    return f"{word}(?<!{sign}{word}){text[match.start('word') + len(word) :]}" if word else text
