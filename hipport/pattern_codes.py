"""Compiled regular expressions as plain data, so that a process need not compile the patterns of the last one again.

Compiling the patterns that a small conversion uses takes a seventh of it, and `re` keeps nothing between processes.
What Python executes is a list of numbers, which `_sre.compile` takes, and checks, in 10 microseconds instead of 100.
The list depends on the release of Python, and so does the way to it: if anything there is not as expected, as on other
Pythons than CPython, patterns are compiled as usual.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

Key = tuple[Any, int]
"""The text of a pattern, str or bytes, and its flags."""
Code = tuple[Any, int, bytes, int, dict[str, int], tuple[Any, ...]]
"""The text and flags of a compiled pattern, its numbers with 32 bits each, its number of groups, and their names.

Contains only types that `marshal` stores.
"""


class PatternCodes:
    """The codes of patterns by key: those of earlier processes, read when the first one is needed, and new ones."""

    def __init__(self, read: Callable[[], Mapping[Key, Code]] | None = None) -> None:
        """`read` returns the codes of earlier processes with this release of Python. Without it, no code is kept."""
        self.known: dict[Key, Code] = {}
        self.new: dict[Key, Code] = {}
        self._read = read
        self._keeps = read is not None

    def compiled(self, key: Key, text: Callable[[], Any]) -> re.Pattern[Any]:
        """Return the pattern of a key; `text` returns the text to compile, which may be spelled in a faster way."""
        if not self._keeps:
            return re.compile(text(), key[1])
        if self._read is not None:
            self.known, self._read = dict(self._read()), None
        try:
            code = self.known.get(key) or self.new.get(key)
            if code is None:
                code = self.new[key] = code_of(text(), key[1])
            return pattern_of(code)
        except (
            ImportError,
            AttributeError,
            TypeError,
            ValueError,
            RuntimeError,
        ):
            # Another Python than those that this knows.
            self._keeps, self.new = False, {}
            return re.compile(text(), key[1])


def code_of(text: Any, flags: int) -> Code:
    """Compile a pattern. Raises `re.error`; ImportError, AttributeError or TypeError on a Python that is different."""
    # Imported by name, since these are not for others, and type checkers do not know them.
    names_of = ("re._parser", "re._compiler") if sys.version_info >= (3, 11) else ("sre_parse", "sre_compile")
    parser, compiler = map(importlib.import_module, names_of)
    parsed = parser.parse(text, flags)
    numbers = memoryview(b"".join(number.to_bytes(4, sys.byteorder) for number in compiler._code(parsed, flags)))
    names: list[str | None] = [None] * parsed.state.groups
    for name, group in parsed.state.groupdict.items():
        names[group] = name
    flags = int(flags | parsed.state.flags)
    return text, flags, bytes(numbers), parsed.state.groups - 1, dict(parsed.state.groupdict), tuple(names)


def pattern_of(code: Code) -> re.Pattern[Any]:
    """Return the pattern of a code. Raises RuntimeError, TypeError or ValueError for what is no code."""
    text, flags, numbers, *groups = code
    pattern: re.Pattern[Any] = importlib.import_module("_sre").compile(
        text, flags, memoryview(numbers).cast("I").tolist(), *groups
    )
    return pattern
