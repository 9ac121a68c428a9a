"""Translate properties of targets and sources in CMake files."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.cmake.edits import after, become, gone, indent, without
from hipport.buildfiles.cmake.relocatable import is_on, options
from hipport.buildfiles.cmake.targets import kind_of
from hipport.buildfiles.readers.cmake import Command
from hipport.buildfiles.tables import Word
from hipport.diagnostics import Severity
from hipport.source import Replace

_SET = {"set_target_properties", "set_source_files_properties", "set_property", "get_target_property", "get_property"}


def run(work: BuildFile) -> Iterator[Found]:
    """Translate properties named after CUDA, and sources declared as CUDA."""
    for command in work.commands:
        if command.name in _SET:
            for number, argument in enumerate(command.arguments):
                word = work.context.tables.properties.get(argument.text)
                if word is not None:
                    yield from _property(work, command, number, word)
                elif argument.text == "LANGUAGE" and command.texts()[number + 1 : number + 2] == ["CUDA"]:
                    value = command.arguments[number + 1]
                    yield Replace(value.start, value.end, "HIP")


def _property(work: BuildFile, command: Command, number: int, word: Word) -> Iterator[Found]:
    argument = command.arguments[number]
    if word.to:
        yield Replace(argument.start, argument.end, word.to)
    elif word.action == "rdc" and command.name.startswith("set_"):
        yield from _relocatable(work, command, number)
    elif word.drop and command.name.startswith("set_"):
        yield from _left_out(work, command, number)
        yield work.report(argument.start, "HP402", Severity.NOTE, f"{word.name} is removed: {word.drop}")
    else:
        message = f"the property {word.name} has no counterpart"
        yield work.report(argument.start, "HP405", Severity.ERROR, message, word.advice)


def _relocatable(work: BuildFile, command: Command, number: int) -> Iterator[Found]:
    """Replace the property for relocatable device code with compiler and linker options."""
    lines = _relocatable_lines(work, command, "".join(command.texts()[number + 1 : number + 2]))
    if _is_alone(command, number):
        yield become(command, f"\n{indent(work, command)}".join(lines)) if lines else gone(work, command)
    else:
        yield from _left_out(work, command, number)
        yield after(work, command, lines)
    inert = [target for target in _targets(command) if not kind_of(work, target).compiles]
    if inert:
        name, targets = command.arguments[number], ", ".join(inert)
        message = f"{name.text} is removed: nothing is compiled for {targets}"
        yield work.report(name.start, "HP402", Severity.NOTE, message)


def _relocatable_lines(work: BuildFile, command: Command, value: str) -> list[str]:
    lines = [line for target in _targets(command) for line in options(work, target)]
    if "$" in value and lines:
        return [f'if("{value}")', *(f"  {line}" for line in lines), "endif()"]
    return lines if is_on(value) else []


def _targets(command: Command) -> list[str]:
    texts = command.texts()
    if command.name == "set_property":
        return texts[1 : texts.index("PROPERTY")] if "PROPERTY" in texts and texts[0] == "TARGET" else []
    return texts[: texts.index("PROPERTIES")] if "PROPERTIES" in texts else []


def _is_alone(command: Command, number: int) -> bool:
    """Return whether the command sets nothing else."""
    return command.name == "set_property" or (
        command.texts()[number - 1] == "PROPERTIES" and number + 2 >= len(command.arguments)
    )


def _left_out(work: BuildFile, command: Command, number: int) -> Iterator[Found]:
    if _is_alone(command, number):
        yield gone(work, command)
    else:
        yield from without(work, command, number, number + 1)
