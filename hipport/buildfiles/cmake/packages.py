"""Translate `find_package(CUDAToolkit)` and `find_package(CUDA)`."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.cmake.edits import become, indent
from hipport.buildfiles.readers.cmake import Command
from hipport.buildfiles.undefined_values import CMAKE_COMMANDS

_COMMANDS = {"find_package", "find_dependency"}
_TOOLKIT = ("CUDAToolkit", "CUDA")
_LANGUAGE_IF_FOUND = ("include(CheckLanguage)", "check_language(HIP)", "if(CMAKE_HIP_COMPILER)")


def run(work: BuildFile) -> Iterator[Found]:
    """Replace these commands with packages for HIP and for the libraries that the project links with."""
    for command in work.commands:
        texts = command.texts()
        if command.name in _COMMANDS and texts and texts[0] in _TOOLKIT:
            lines = list(_lines(work, command, old=texts[0] == "CUDA"))
            yield become(command, f"\n{indent(work, command)}".join(lines))


def packages_of_language(work: BuildFile) -> list[str]:
    """Return the commands that find what a file links with if it only enables the language.

    CUDA's libraries are found by their plain names then, HIP's targets only through packages.
    """
    if any(
        command.name in _COMMANDS and command.texts()[:1] in ([name] for name in _TOOLKIT) for command in work.commands
    ):
        return []
    libraries = list(_libraries(work, "find_package", ()))
    variables = (word.to for name, word in work.context.tables.variables.items() if f"${{{name}}}" in work.text)
    linked = (row.package for name in work.context.libraries if (row := work.library(name)) is not None)
    needs_hip = "hip" in linked or any(name.startswith("hip_") for name in variables)
    return [*(["find_package(hip REQUIRED)"] if needs_hip else []), *libraries]


def _lines(work: BuildFile, command: Command, *, old: bool) -> Iterator[str]:
    words = [word for word in ("REQUIRED", "QUIET") if word in command.texts()]
    quiet = tuple(word for word in words if word == "QUIET")
    packages = [f"{command.name}({' '.join(['hip', *words])})", *_libraries(work, command.name, quiet)]
    if not old:
        yield from packages
        return
    lines = ("enable_language(HIP)", *CMAKE_COMMANDS, *_support(work), *packages)
    if "REQUIRED" in words:
        yield from lines
    else:
        yield from (*_LANGUAGE_IF_FOUND, *(f"  {line}" for line in lines), "endif()")


def _support(work: BuildFile) -> Iterator[str]:
    """Yield the command that makes hipport's headers known; a module's folder is not that of the file including it."""
    if work.context.support is not None:
        folder = "${CMAKE_CURRENT_LIST_DIR}" + f"/{work.context.support}".removesuffix("/.")
        yield f"include_directories({folder})"


def _libraries(work: BuildFile, finding: str, quiet: tuple[str, ...]) -> Iterator[str]:
    """Find the library packages without REQUIRED.

    Like those of the CUDA toolkit they may be missing: then CMake warns, unless the project wants it to be quiet, and a
    target that needs one stops the configuration.
    """
    rows = [work.library(name) for name in work.context.libraries]
    packages = {row.package for row in rows if row is not None and row.package not in ("", "hip")}
    yield from (f"{finding}({' '.join([package, *quiet])})" for package in sorted(packages))
