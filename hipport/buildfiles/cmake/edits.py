"""Edits of whole commands and arguments in CMake files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hipport import lazy_re as re
from hipport.buildfiles.build_file import BuildFile
from hipport.buildfiles.readers.cmake import Argument, Command
from hipport.source import Replace

_INDENT = re.compile(r"[ \t]*\Z")


def rename(command: Command, name: str) -> Replace:
    return Replace(command.start, command.start + len(command.name), name)


def become(command: Command, text: str) -> Replace:
    """Replace a command."""
    return Replace(command.start, command.end, text)


def gone(work: BuildFile, command: Command) -> Replace:
    """Remove a command, with its line if nothing else is on it."""
    line_start = work.text.rfind("\n", 0, command.start) + 1
    line_end = work.text.find("\n", command.end) + 1 or len(work.text)
    if (work.text[line_start : command.start] + work.text[command.end : line_end]).strip():
        return Replace(command.start, command.end, "")
    return Replace(line_start, line_end, "")


def after(work: BuildFile, command: Command, lines: Sequence[str]) -> Replace:
    """Insert lines after a command, with its indentation."""
    return Replace(command.end, command.end, "".join(f"\n{indent(work, command)}{line}" for line in lines))


def indent(work: BuildFile, command: Command) -> str:
    """Return the blanks before a command that is the first on its line, else an empty string."""
    line_start = work.text.rfind("\n", 0, command.start) + 1
    blanks = work.text[line_start : command.start]
    return blanks if _INDENT.match(blanks) else ""


def without(work: BuildFile, command: Command, first: int, last: int) -> Iterator[Replace]:
    """Yield edits that remove arguments `first` to `last` of a command, with the blanks before them."""
    for argument in command.arguments[first : last + 1]:
        start, end = argument.start - argument.quoted, argument.end + argument.quoted
        while start > command.start and work.text[start - 1] in " \t":
            start -= 1
        yield Replace(start, end, "")


def spelled(argument: Argument) -> str:
    """Return an argument with its quotes."""
    return f'"{argument.text}"' if argument.quoted else argument.text
