"""Read calls in Meson files and in Starlark (Bazel), whose comments and strings look alike."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from msgspec import Struct

from hipport import lazy_re as re

_TOKEN = re.compile(
    r"""\#[^\n]* | (?P<string>[rf]?(?:'''.*?'''|\"\"\".*?\"\"\"|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"))
    | (?P<call>[A-Za-z_][\w.]*)[ \t]*\( | [A-Za-z_]\w* | (?P<open>[([{]) | (?P<close>[)\]}])""",
    re.DOTALL | re.VERBOSE,
)
_QUOTES = re.compile(r"[rf]?('''|\"\"\"|'|\")")


class Text(Struct, frozen=True):
    """A string: `start` is where its quotes begin."""

    start: int
    text: str


class Call(Struct, frozen=True):
    """A call by its name, which includes the object (`compiler.find_library`), and the strings between its parentheses.

    Strings of calls and lists inside it are included.
    """

    name: str
    start: int
    strings: tuple[Text, ...]


@functools.lru_cache(maxsize=64)  # several rules read a file
def read_calls(text: str) -> tuple[Call, ...]:
    """Return all calls in the order in which they begin."""
    return tuple(sorted(_calls(text), key=lambda call: call.start))


def _calls(text: str) -> Iterator[Call]:
    open_calls: list[tuple[str, int, list[Text]]] = []
    for match in _TOKEN.finditer(text):
        if match["string"]:
            quotes = _QUOTES.match(match["string"])
            inner = match["string"][quotes.end() : -len(quotes[1])] if quotes else ""
            for _, _, strings in open_calls:
                strings.append(Text(match.start(), inner))
        elif match["call"] or match["open"]:
            open_calls.append((match["call"] or "", match.start(), []))
        elif match["close"] and open_calls:
            name, start, strings = open_calls.pop()
            if name:
                yield Call(name, start, tuple(strings))
    for name, start, strings in open_calls:
        if name:
            yield Call(name, start, tuple(strings))
