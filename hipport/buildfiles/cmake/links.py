"""Translate the libraries that CMake targets link with."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.cmake.edits import without
from hipport.buildfiles.libraries import dropped, missing
from hipport.buildfiles.readers.cmake import Command
from hipport.buildfiles.tables import Library
from hipport.source import Replace

_TARGET = re.compile(r"CUDA::(\w+)")
_PLAIN = {"target_link_libraries", "link_libraries"}
_LISTS = {"set", "list"}
_DEFINING = {"add_library", "add_executable"}


def run(work: BuildFile) -> Iterator[Found]:
    """Translate `CUDA::` targets anywhere, and plain library names in link commands."""
    for command in work.commands:
        for number, argument in enumerate(command.arguments):
            imported = [(match.start(), match.end(), match[1]) for match in _places(work, argument.start, argument.end)]
            named = command.name in _PLAIN or (command.name in _LISTS and argument.text.startswith("${"))
            plain = number > 0 and named and not imported
            for start, end, name in [(argument.start, argument.end, argument.text)] if plain else imported:
                library = _library(work, argument.text, name)
                if library is not None:
                    yield from _linked(work, command, number, (start, end), library)
                elif imported and command.name not in _DEFINING:
                    yield missing(work, start, Library(name))


def used_libraries(work: BuildFile) -> Iterator[str]:
    """Yield the names of the CUDA libraries that a file links with."""
    variables = work.context.tables.library_variables
    for command in work.commands:
        for argument in command.arguments:
            yield from (match[1] for match in _places(work, argument.start, argument.end))
            yield from (name for variable, name in variables.items() if variable in argument.text)
            if command.name in _PLAIN and _library(work, argument.text, argument.text) is not None:
                yield argument.text
        yield from (word.links for name, word in work.context.tables.commands.items() if name == command.name)


def _places(work: BuildFile, start: int, end: int) -> Iterator[re.Match[str]]:
    return _TARGET.finditer(work.text, start, end)


def _library(work: BuildFile, argument: str, name: str) -> Library | None:
    """Return the row of a library, which a variable such as `${CUDA_LIBRARIES}` may also name."""
    variable = argument[2:-1] if argument.startswith("${") and argument.endswith("}") else ""
    return work.library(work.context.tables.library_variables.get(variable, name))


def _linked(
    work: BuildFile, command: Command, number: int, place: tuple[int, int], library: Library
) -> Iterator[Found]:
    if library.target:
        yield Replace(*place, library.target)
    elif library.drop:
        yield from without(work, command, number, number)
        yield dropped(work, place[0], library)
    else:
        yield missing(work, place[0], library)
