"""Translate relocatable device code in CMake files: the property and the variable CUDA_SEPARABLE_COMPILATION."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.cmake.edits import after, become, indent
from hipport.buildfiles.cmake.targets import TargetKind, kind_of
from hipport.buildfiles.readers.cmake import Command
from hipport.diagnostics import Severity

_TRUE = {"ON", "TRUE", "YES", "1", "Y"}
_FALSE = {"OFF", "FALSE", "NO", "0", "N", ""}
_COMPILE = "$<$<COMPILE_LANGUAGE:HIP>:-fgpu-rdc>"
_LINK = '"$<$<LINK_LANGUAGE:HIP>:-fgpu-rdc;--hip-link>"'
_BY_NAME = ":SHELL:-L$<TARGET_FILE_DIR:{0}> -l$<TARGET_FILE_BASE_NAME:{0}>>"
"""Clang before 16 takes device code out of a static library only if its name is given with -l."""
_OLD_CLANG = "$<LINK_LANGUAGE:HIP>,$<VERSION_LESS:${{CMAKE_HIP_COMPILER_VERSION}},16>"
_STATIC = f'"$<$<AND:{_OLD_CLANG}>{_BY_NAME}"'
_MAYBE_STATIC = f'"$<$<AND:$<STREQUAL:$<TARGET_PROPERTY:{{0}},TYPE>,STATIC_LIBRARY>,{_OLD_CLANG}>{_BY_NAME}"'
_COMPILED = "$<$<AND:$<LINK_LANGUAGE:HIP>,$<NOT:$<STREQUAL:$<TARGET_PROPERTY:{0},TYPE>,INTERFACE_LIBRARY>>>"
_OF_ANY = (
    f"set_property(TARGET {{0}} APPEND PROPERTY COMPILE_OPTIONS {_COMPILE})",
    f"set_property(TARGET {{0}} APPEND PROPERTY LINK_OPTIONS {_LINK})",
    f'set_property(TARGET {{0}} APPEND PROPERTY INTERFACE_LINK_OPTIONS "{_COMPILED}:-fgpu-rdc;--hip-link>")',
    f"set_property(TARGET {{0}} APPEND PROPERTY INTERFACE_LINK_OPTIONS {_MAYBE_STATIC})",
)
"""For a target that may be of any kind, because another file or a variable names it."""


def run(work: BuildFile) -> Iterator[Found]:
    """Translate `set(CMAKE_CUDA_SEPARABLE_COMPILATION ON)`, which holds for the targets that follow.

    It holds in the folders below, too. Programs elsewhere that link such a library need its options, too.
    """
    rows = work.context.tables.variables
    holds = work.context.relocatable
    for command in work.commands:
        texts = command.texts()
        names = [text for text in texts if (row := rows.get(text)) is not None and row.action == "rdc"]
        if command.name in ("add_library", "cuda_add_library") and holds and texts:
            yield from _of_library(work, command)
        if command.name != "set" or names[:1] != texts[:1] or not names:
            continue
        if texts[1:2] and texts[1].upper() in _TRUE:
            holds = True
            lines = [f"add_compile_options({_COMPILE})", f"add_link_options({_LINK})"]
            yield become(command, f"\n{indent(work, command)}".join(lines))
        elif "".join(texts[1:2]).upper() not in _FALSE:
            message = f"the variable {names[0]} has no counterpart"
            yield work.report(command.arguments[0].start, "HP405", Severity.WARNING, message, rows[names[0]].advice)


def sets_variable(work: BuildFile) -> bool:
    """Return whether a file turns relocatable device code on for the targets of its folder and of those below."""
    return any(
        command.name == "set" and command.texts()[1:2] and is_on(command.texts()[1]) and _is_variable(work, command)
        for command in work.commands
    )


def _is_variable(work: BuildFile, command: Command) -> bool:
    row = work.context.tables.variables.get(command.texts()[0])
    return row is not None and row.action == "rdc"


def _of_library(work: BuildFile, command: Command) -> Iterator[Found]:
    """Give what links a library the options that the variable gives its folder."""
    target = command.texts()[0]
    kind = kind_of(work, target)
    if not kind.compiles or kind in (TargetKind.SHARED, TargetKind.MODULE, TargetKind.UNKNOWN):
        return
    static = {TargetKind.STATIC: (_STATIC,), TargetKind.OBJECT: ()}.get(kind, (_MAYBE_STATIC,))
    options = [_LINK, *(option.format(target) for option in static)]
    yield after(work, command, [f"target_link_options({target} INTERFACE {option})" for option in options])


def is_on(value: str) -> bool:
    """Return whether the value of a property is true."""
    return value.upper() in _TRUE


def options(work: BuildFile, target: str) -> list[str]:
    """Return the commands with which a target, and what links with it, has relocatable device code.

    The `target_*` commands accept only some kinds of targets. CMake accepts a property of any target, and ignores it
    where nothing is compiled, as it does with CUDA_SEPARABLE_COMPILATION.
    """
    kind = kind_of(work, target)
    if not kind.compiles:
        return []
    if kind is TargetKind.UNKNOWN:
        return [line.format(target) for line in _OF_ANY]
    lines = [f"target_compile_options({target} PRIVATE {_COMPILE})", f"target_link_options({target} PUBLIC {_LINK})"]
    if kind in (TargetKind.STATIC, TargetKind.LIBRARY):
        static = (_STATIC if kind is TargetKind.STATIC else _MAYBE_STATIC).format(target)
        lines.append(f"target_link_options({target} INTERFACE {static})")
    return lines
