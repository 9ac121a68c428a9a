"""Edits of whole commands and arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hipport.buildfiles.cmake.syntax import Argument, Command
from hipport.buildfiles.work import Work
from hipport.source import Replace

_INDENT = re.compile(r"[ \t]*\Z")


def rename(command: Command, name: str) -> Replace:
    """Another name for a command."""
    return Replace(command.start, command.start + len(command.name), name)


def become(command: Command, text: str) -> Replace:
    """Something else in place of a command."""
    return Replace(command.start, command.end, text)


def gone(work: Work, command: Command) -> Replace:
    """Nothing in place of a command; its line goes too if nothing else stands there."""
    line_start = work.text.rfind("\n", 0, command.start) + 1
    line_end = work.text.find("\n", command.end) + 1 or len(work.text)
    if (work.text[line_start : command.start] + work.text[command.end : line_end]).strip():
        return Replace(command.start, command.end, "")
    return Replace(line_start, line_end, "")


def after(work: Work, command: Command, lines: Sequence[str]) -> Replace:
    """Lines behind a command, indented as it is."""
    return Replace(command.end, command.end, "".join(f"\n{indent(work, command)}{line}" for line in lines))


def indent(work: Work, command: Command) -> str:
    """The blanks before a command that is the first on its line."""
    line_start = work.text.rfind("\n", 0, command.start) + 1
    blanks = work.text[line_start : command.start]
    return blanks if _INDENT.match(blanks) else ""


def without(work: Work, command: Command, first: int, last: int) -> Iterator[Replace]:
    """The command without some arguments and the blanks before them."""
    for argument in command.arguments[first : last + 1]:
        start, end = argument.start - argument.quoted, argument.end + argument.quoted
        while start > command.start and work.text[start - 1] in " \t":
            start -= 1
        yield Replace(start, end, "")


def spelled(argument: Argument) -> str:
    """An argument with its quotes."""
    return f'"{argument.text}"' if argument.quoted else argument.text
