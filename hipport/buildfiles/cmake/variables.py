"""Translate CMake's variables for CUDA."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.cmake.edits import after
from hipport.buildfiles.readers.cmake import Argument, Command
from hipport.diagnostics import Severity
from hipport.source import Replace

_NAME = re.compile(r"(?<![\w$])(?:CMAKE_CUDA_\w+|CUDAToolkit_\w+|CUDA_\w+)|(?<=\$\{)CUDA\w+")
_VERSION = re.compile(r"CUDA\w*VERSION")


def run(work: BuildFile) -> Iterator[Found]:
    """Translate variables by name, in references and where they are set or queried."""
    for command in work.commands:
        for argument in command.arguments:
            if argument.text not in work.context.tables.properties:
                yield from _names(work, argument)
        if command.name in ("if", "elseif"):
            yield from _version(work, command)
        if command.name in ("include_directories", "target_include_directories"):
            yield from _platform(work, command)


def _names(work: BuildFile, argument: Argument) -> Iterator[Found]:
    for match in _NAME.finditer(work.text, argument.start, argument.end):
        word = work.context.tables.variable(match[0])
        if word is not None and word.to:
            yield Replace(match.start(), match.end(), word.to)
        elif word is not None and word.action != "rdc":
            message = f"the variable {word.name} has no counterpart"
            yield work.report(match.start(), "HP405", Severity.WARNING, message, word.advice)


def _version(work: BuildFile, command: Command) -> Iterator[Found]:
    """Report comparisons with a CUDA release, which say nothing about a HIP release; translate compiler ID checks."""
    texts = command.texts()
    if any(text.startswith("VERSION_") for text in texts):
        for argument in command.arguments:
            if _VERSION.search(argument.text):
                message = "the value is compared with a CUDA release, but is now a release of HIP or clang"
                advice = "Compare with the release of HIP or clang that is meant."
                yield work.report(argument.start, "HP406", Severity.WARNING, message, advice)
    if "NVIDIA" in texts and any("CUDA_COMPILER_ID" in text for text in texts):
        argument = command.arguments[texts.index("NVIDIA")]
        yield Replace(argument.start, argument.end, "Clang")


def _platform(work: BuildFile, command: Command) -> Iterator[Found]:
    """Define the HIP platform for host code that finds HIP's headers by their folder alone."""
    rows = work.context.tables.variables
    names = {name for name, word in rows.items() if word.to == "hip_INCLUDE_DIRS"}
    if not any(f"${{{name}}}" in argument.text for name in names for argument in command.arguments):
        return
    target = command.texts()[0] if command.name.startswith("target_") else ""
    command_for = f"target_compile_definitions({target} PRIVATE " if target else "add_compile_definitions("
    yield after(work, command, [f"{command_for}__HIP_PLATFORM_AMD__)"])
