"""Find the kinds of the targets in a CMake file, and the scopes of the properties that it sets for them."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from hipport.buildfiles.build_file import BuildFile
from hipport.buildfiles.readers.cmake import Argument, Command

SCOPES = ("INTERFACE", "PUBLIC", "PRIVATE")
_LIBRARIES = ("add_library", "cuda_add_library")
_EXECUTABLES = ("add_executable", "cuda_add_executable")


class TargetKind(Enum):
    """The kind of a target; LIBRARY is static or shared by BUILD_SHARED_LIBS, UNKNOWN is defined somewhere else."""

    EXECUTABLE = "EXECUTABLE"
    LIBRARY = "LIBRARY"
    STATIC = "STATIC"
    SHARED = "SHARED"
    MODULE = "MODULE"
    OBJECT = "OBJECT"
    INTERFACE = "INTERFACE"
    IMPORTED = "IMPORTED"
    UTILITY = "UTILITY"
    UNKNOWN = ""

    @property
    def compiles(self) -> bool:
        """Return whether CMake compiles or links sources for such a target."""
        return self not in (TargetKind.INTERFACE, TargetKind.IMPORTED, TargetKind.UTILITY)


def kind_of(work: BuildFile, target: str) -> TargetKind:
    """Return the kind of a target by its own command in the same file."""
    for command in work.commands:
        texts = command.texts()
        if texts[:1] != [target]:
            continue
        if command.name == "add_custom_target":
            return TargetKind.UTILITY
        if command.name in (*_LIBRARIES, *_EXECUTABLES) and "ALIAS" not in texts[1:2]:
            return _kind(command.name, texts[1:])
    return TargetKind.UNKNOWN


def _kind(command: str, words: list[str]) -> TargetKind:
    if "IMPORTED" in words[:2]:
        return TargetKind.IMPORTED
    if command in _EXECUTABLES:
        return TargetKind.EXECUTABLE
    named = {kind.value: kind for kind in TargetKind if kind is not TargetKind.EXECUTABLE and kind.value}
    return named.get("".join(words[:1]), TargetKind.LIBRARY)


def scoped(command: Command) -> Iterator[tuple[str, Argument]]:
    """Yield the arguments of a `target_*` command, each with the scope that holds for it."""
    scope = ""
    for argument in command.arguments[1:]:
        if argument.text in SCOPES:
            scope = argument.text
        else:
            yield scope, argument
