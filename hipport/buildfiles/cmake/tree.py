"""The commands of a CMake file."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hipport.buildfiles.work import Work

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_HEAD = re.compile(r"\w+")
_QUOTES = {"quoted_argument": 1}


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument: `text` is `start` to `end`, without the quotes that it has if `quoted`."""

    start: int
    end: int
    text: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """A command from its name to its closing bracket; the name in small letters, as CMake takes it.

    `inner` is where its arguments begin and end, comments between them included.
    """

    name: str
    start: int
    end: int
    arguments: tuple[Argument, ...]

    def texts(self) -> list[str]:
        """The arguments as text."""
        return [argument.text for argument in self.arguments]


def commands(work: Work) -> tuple[Command, ...]:
    """All commands, `if(...)` and its like too, in order; bracket arguments are left out."""
    return _commands(work.source.text, work.text)


@functools.lru_cache(maxsize=512)  # a file is read for what it links with, and then to be translated
def _commands(data: bytes, text: str) -> tuple[Command, ...]:
    found = [_command(text, node) for node in _nodes(_parser().parse(data).root_node)]
    return tuple(command for command in found if command is not None)


@functools.cache
def _parser() -> Parser:
    import tree_sitter_cmake
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_cmake.language()))


def _nodes(root: Node) -> Iterator[Node]:
    """The nodes of commands, from the first to the last; without recursion, for trees of any depth."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type.endswith("_command"):
            yield node
        elif node.child_count:
            waiting += reversed(node.children)


def _command(text: str, node: Node) -> Command | None:
    head = _HEAD.match(text, node.start_byte, node.end_byte)
    if head is None:
        return None
    return Command(head[0].lower(), node.start_byte, node.end_byte, tuple(_arguments(text, node)))


def _arguments(text: str, node: Node) -> Iterator[Argument]:
    for group in node.children:
        for child in group.children if group.type == "argument_list" else ():
            inner = child.children[0] if child.type == "argument" and child.children else None
            if inner is not None and inner.type != "bracket_argument":
                quotes = _QUOTES.get(inner.type, 0)
                start, end = inner.start_byte + quotes, inner.end_byte - quotes
                yield Argument(start, end, text[start:end], bool(quotes))
