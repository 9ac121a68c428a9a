"""Read what the user types in a chat: lines, or several of them as one message."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from msgspec import Struct

_QUOTES = '"""'


class Typed(Struct, frozen=True):
    """A message or a command from the user. Quoted text is never a command, even if it begins with a slash."""

    text: str
    is_command: bool


def read_message(line: Callable[[str], str]) -> Typed | None:
    r"""Return the next message, None at the end of the input; `line` reads a line and gets the prompt to show.

    A line that ends with `\` continues on the next one; lines between `\"\"\"` and `\"\"\"` are one message.
    """
    try:
        first = line("> ")
    except EOFError:
        return None
    with contextlib.suppress(EOFError):  # the end of the input also ends a message
        if first.lstrip().startswith(_QUOTES):
            return Typed(_quoted(first.lstrip()[len(_QUOTES) :], line), False)
        while first.endswith("\\"):
            first = first[:-1] + "\n"
            first += line(". ")
    return Typed(first.strip(), first.lstrip().startswith("/"))


def _quoted(first: str, line: Callable[[str], str]) -> str:
    lines = [first]
    with contextlib.suppress(EOFError):
        while not lines[-1].rstrip().endswith(_QUOTES):
            lines.append(line(". "))
    lines[-1] = lines[-1].rstrip().removesuffix(_QUOTES)
    return "\n".join(lines).strip()
