"""Translate variables whose value is a library, such as `${CUDA_LIBRARIES}`, outside the commands that link."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.libraries import dropped, missing
from hipport.buildfiles.readers.cmake import Argument, Command
from hipport.buildfiles.tables import Library
from hipport.source import Replace

_REFERENCE = re.compile(r"\$\{(CUDA_\w+)\}")
_CONDITIONS = {"if", "elseif", "while"}
_FILES = {"cmake_path", "execute_process", "file", "get_filename_component", "install", "link_directories", "message"}
"""Commands that want the library's file, or show it: a target's name means nothing to them."""
_DEFINITION = re.compile(r"-D\w+(?::\w+)?=")
"""A variable of another CMake run, in which the targets of this one are unknown."""


def run(work: BuildFile) -> Iterator[Found]:
    """Replace references by imported targets, or by the library's file where a target's name has no meaning."""
    for command in work.commands:
        for argument in command.arguments:
            for match in _REFERENCE.finditer(work.text, argument.start, argument.end):
                library = _library(work, match[1])
                if library is not None:
                    yield from _replaced(work, command, argument, match, library)
            tested = _library(work, argument.text) if command.name in _CONDITIONS else None
            if tested is not None and tested.package:
                yield Replace(argument.start, argument.end, f"{tested.package}_FOUND")


def _library(work: BuildFile, variable: str) -> Library | None:
    name = work.context.tables.library_variables.get(variable)
    return work.library(name) if name else None


def _replaced(
    work: BuildFile, command: Command, argument: Argument, match: re.Match[str], library: Library
) -> Iterator[Found]:
    if command.name in _FILES | _CONDITIONS or _DEFINITION.match(argument.text):
        target = f"${{hip_LIB_INSTALL_DIR}}/lib{library.link}.so" if library.link else ""
    else:
        target = library.target
    if target:
        yield Replace(match.start(), match.end(), target)
    elif library.drop:
        yield Replace(match.start(), match.end(), "")
        yield dropped(work, match.start(), library)
    elif command.name != "message":
        yield missing(work, match.start(), library)
