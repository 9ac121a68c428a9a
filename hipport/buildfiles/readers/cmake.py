"""Read the commands of a CMake file as cmake-language(7) and CMake's own lexer (cmListFileLexer.in.l) define them."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from msgspec import Struct

from hipport import lazy_re as re

_MAKE_VARIABLE = r"\$\([A-Za-z0-9_]*\)"
_PLAIN = r'[^ \0\t\r\n()\#"[=\\]|\\[^\0\n]'
_LEGACY = rf'{_MAKE_VARIABLE}|{_PLAIN}|"(?:{_MAKE_VARIABLE}|{_PLAIN}|[ \t\[=])*"'
"""Allowed inside an unquoted argument, including `-DA="b c"` and `$(VAR)` of Makefiles."""

_COMMAND = re.compile(r"(?P<comment>#)|(?<![A-Za-z0-9_])(?P<name>[A-Za-z_][A-Za-z0-9_]*)[ \t]*\(")
_BRACKET_COMMENT = re.compile(r"#\[(?P<equals>=*)\[")
_TOKEN = re.compile(
    rf"""[ \t\r\n]+ | [()] | (?P<bracket>\#?\[(?P<equals>=*)\[) | \#[^\n]*
    | (?P<quoted>"(?:[^"\\]|\\.)*")
    | (?P<unquoted>(?:{_MAKE_VARIABLE}|{_PLAIN}|=|\[=*(?:{_LEGACY}))(?:{_LEGACY}|[\[=])*|\[)
    | [\0\\]""",
    re.DOTALL | re.VERBOSE,
)


class Argument(Struct, frozen=True):
    """An argument: `text` is the range `start` to `end`, which excludes the quotes if `quoted`."""

    start: int
    end: int
    text: str
    quoted: bool = False


class Command(Struct, frozen=True):
    """A command from its name to its closing parenthesis; the name is in lower case, since CMake ignores case."""

    name: str
    start: int
    end: int
    arguments: tuple[Argument, ...]

    def texts(self) -> list[str]:
        """Return the text of each argument."""
        return [argument.text for argument in self.arguments]


@functools.lru_cache(maxsize=512)  # a file is read first for what it links with, then for translation
def read_commands(text: str) -> tuple[Command, ...]:
    """Return all commands, including `if(...)` and the like, in order; bracket arguments are left out.

    The first unterminated command ends the list: CMake rejects such a file as a whole.
    """
    return tuple(_commands(text))


def _commands(text: str) -> Iterator[Command]:
    at = 0
    while match := _COMMAND.search(text, at):
        if match["comment"]:
            at = _after_comment(text, match.start())
            continue
        found = _command(text, match)
        if found is None:
            return
        yield found
        at = found.end


def _command(text: str, head: re.Match[str]) -> Command | None:
    """Return the command after a name and its parenthesis, or None if it is not closed."""
    arguments: list[Argument] = []
    at, depth = head.end(), 1
    while token := _TOKEN.match(text, at):
        at = token.end()
        if token.lastgroup == "bracket":
            at = _after_bracket(text, token["equals"], at)
        elif token.lastgroup == "quoted":
            arguments.append(Argument(token.start() + 1, at - 1, token[0][1:-1], True))
        elif token.lastgroup == "unquoted":
            arguments.append(Argument(token.start(), at, token[0]))
        elif token[0] == "(":
            depth += 1
        elif token[0] == ")":
            depth -= 1
            if not depth:
                return Command(head["name"].lower(), head.start(), at, tuple(arguments))
    return None


def _after_comment(text: str, at: int) -> int:
    bracket = _BRACKET_COMMENT.match(text, at)
    return _after_bracket(text, bracket["equals"], bracket.end()) if bracket else _line_end(text, at)


def _after_bracket(text: str, equals: str, at: int) -> int:
    close = f"]{equals}]"
    end = text.find(close, at)
    return end + len(close) if end >= 0 else len(text)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)
