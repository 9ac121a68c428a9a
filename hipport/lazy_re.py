"""The module `re`, with patterns that are compiled on first use: `from hipport import lazy_re as re`.

A command uses a tenth of the patterns of the modules that it imports. Compiling all of them takes longer than
translating a small file.
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


class _Lazy:
    """Stands for a pattern, and compiles it when a method or an attribute is asked for."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self._source = text, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = getattr(re.compile(*self._source), name)
        setattr(self, name, value)  # from now on it is found without this method
        return value


def compile(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what `re.compile` returns; a mistake in the pattern is only found when it is used."""
    return cast("re.Pattern[AnyStr]", _Lazy(text, flags))
