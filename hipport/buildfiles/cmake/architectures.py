"""Translate lists of NVIDIA architectures in CMake files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.cmake.architecture_variables import LIST, PROPERTY
from hipport.buildfiles.cmake.edits import become, gone, indent
from hipport.buildfiles.options import architectures_named
from hipport.buildfiles.readers.cmake import Argument, Command
from hipport.source import Replace

_ENDS = {"CACHE", "PARENT_SCOPE"}
_OPENING = {"if", "foreach", "while", "function", "macro", "block"}


def run(work: BuildFile) -> Iterator[Found]:
    """Replace the values of `CMAKE_CUDA_ARCHITECTURES` and of the target property with the targets."""
    enabled: Command | None = None
    depth = 0
    for command in work.commands:
        texts = command.texts()
        depth += (command.name in _OPENING) - (
            command.name.removeprefix("end") in _OPENING and command.name.startswith("end")
        )
        if command.name in ("project", "enable_language") and "CUDA" in texts:
            enabled = enabled or command
        elif command.name == "set" and texts[:1] == [LIST] and len(texts) > 1:
            yield from _set(work, command, enabled, conditional=depth > 0)
        elif command.name == "list" and texts[1:2] == [LIST] and len(texts) > 2 and texts[0] != "LENGTH":
            yield from _values(work, command, 2, len(texts))
        elif command.name in ("set_target_properties", "set_property") and PROPERTY in texts:
            yield from _property(work, command)


def _set(work: BuildFile, command: Command, enabled: Command | None, *, conditional: bool) -> Iterator[Found]:
    """Replace a plain list with one that `cmake -D` overrides.

    CMake sets the variable when the language is enabled, so the list has to come before that.
    """
    texts = command.texts()
    end = next((number for number, text in enumerate(texts) if text in _ENDS), len(texts))
    if conditional or end < len(texts) or _is_kept(command.arguments[1:]):
        yield from _values(work, command, 1, end)
        return
    line = f'set(CMAKE_HIP_ARCHITECTURES {" ".join(work.context.targets)} CACHE STRING "GPUs to build for")'
    yield architectures_named(work, command.arguments[1].start, work.context.targets)
    if enabled is None:
        yield become(command, line)
    else:
        yield Replace(enabled.start, enabled.start, f"{line}\n{indent(work, enabled)}")
        yield gone(work, command)


def _property(work: BuildFile, command: Command) -> Iterator[Found]:
    at = command.texts().index(PROPERTY)
    end = len(command.arguments) if command.name == "set_property" else at + 2
    yield from _values(work, command, at + 1, end)


def _values(work: BuildFile, command: Command, first: int, end: int) -> Iterator[Found]:
    values = command.arguments[first:end]
    if not values or _is_kept(values):
        return
    joined = ";".join(work.context.targets)
    several = not values[0].quoted and command.name in ("set", "list", "set_property")
    text = joined.replace(";", " ") if several else joined if values[0].quoted else f'"{joined}"'
    yield Replace(values[0].start, values[-1].end, text)
    yield architectures_named(work, values[0].start, work.context.targets)


def _is_kept(values: Sequence[Argument]) -> bool:
    """Return whether the value selects no architecture itself: empty or a variable.

    OFF leaves the choice to options of nvcc, which are removed, or to its default, which runs on all newer GPUs. AMD's
    compilers have none that does.
    """
    return len(values) == 1 and (not values[0].text or "{" in values[0].text)
