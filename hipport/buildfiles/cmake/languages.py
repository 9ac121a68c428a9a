"""Translate `project(... CUDA)` and `enable_language(CUDA)`, and raise the minimum CMake version accordingly."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.cmake.edits import after, without
from hipport.buildfiles.cmake.packages import packages_of_language
from hipport.buildfiles.readers.cmake import Command
from hipport.buildfiles.undefined_values import CMAKE_COMMANDS
from hipport.diagnostics import Severity
from hipport.source import Replace

_ENABLE = {"project", "enable_language", "check_language"}
_VERSION = re.compile(r"\d+(?:\.\d+)*")


def run(work: BuildFile) -> Iterator[Found]:
    """Replace the language CUDA with HIP."""
    enabling = [command for command in work.commands if command.name in _ENABLE and "CUDA" in _languages(command)]
    for command in enabling:
        yield from _language(work, command)
    if enabling or _is_old_style(work):
        yield from _minimum(work)


def _languages(command: Command) -> list[str]:
    """Return the words that may be languages: the first of `project` is its name."""
    return command.texts()[command.name == "project" :]


def _language(work: BuildFile, command: Command) -> Iterator[Found]:
    texts = command.texts()
    for number, argument in enumerate(command.arguments):
        if argument.text != "CUDA" or (command.name == "project" and number == 0):
            continue
        if "HIP" in texts[number + 1 :] or "HIP" in texts[1:number]:
            yield from without(work, command, number, number)
        else:
            yield Replace(argument.start, argument.end, "HIP")
    if command.name == "check_language":
        return
    lines = packages_of_language(work)
    if work.context.support is not None:
        # The current source folder of a module is that of the file that includes it.
        here = "SOURCE" if work.source.name.endswith("CMakeLists.txt") else "LIST"
        folder = f"${{CMAKE_CURRENT_{here}_DIR}}" + f"/{work.context.support}".removesuffix("/.")
        lines.insert(0, f"include_directories({folder})")
    yield after(work, command, [*CMAKE_COMMANDS, *lines])


def _is_old_style(work: BuildFile) -> bool:
    return any(c.name == "find_package" and c.texts()[:1] == ["CUDA"] for c in work.commands)


def _minimum(work: BuildFile) -> Iterator[Found]:
    """Raise `cmake_minimum_required` to a CMake that supports HIP."""
    least = work.context.tables.minimum
    for command in work.commands:
        texts = command.texts()
        if command.name != "cmake_minimum_required" or len(texts) < 2 or not _VERSION.match(texts[1]):
            continue
        argument, (asked, dots, most) = command.arguments[1], texts[1].partition("...")
        if _numbers(asked) >= _numbers(least):
            continue
        new = f"{least}...{most}" if dots and _numbers(most) > _numbers(least) else least
        yield Replace(argument.start, argument.end, new)
        message = f"minimum raised to CMake {least}: {asked} does not support the language HIP"
        yield work.report(
            argument.start, "HP407", Severity.NOTE, message, "This also enables the policies of the new release."
        )


def _numbers(version: str) -> tuple[int, ...]:
    match = _VERSION.match(version)
    return tuple(int(part) for part in match[0].split(".")) if match else ()
