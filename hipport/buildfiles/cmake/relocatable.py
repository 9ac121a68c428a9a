"""Translate relocatable device code in CMake files: the property and the variable CUDA_SEPARABLE_COMPILATION."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.cmake.edits import become, indent
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
_LINKED = {"SHARED", "MODULE", "OBJECT"}


def run(work: BuildFile) -> Iterator[Found]:
    """Translate `set(CMAKE_CUDA_SEPARABLE_COMPILATION ON)`, which holds for the targets that follow."""
    rows = work.context.tables.variables
    for command in work.commands:
        texts = command.texts()
        names = [text for text in texts if (row := rows.get(text)) is not None and row.action == "rdc"]
        if command.name != "set" or names[:1] != texts[:1] or not names:
            continue
        if texts[1:2] and texts[1].upper() in _TRUE:
            lines = [f"add_compile_options({_COMPILE})", f"add_link_options({_LINK})"]
            yield become(command, f"\n{indent(work, command)}".join(lines))
        elif "".join(texts[1:2]).upper() not in _FALSE:
            message = f"the variable {names[0]} has no counterpart"
            yield work.report(command.arguments[0].start, "HP405", Severity.WARNING, message, rows[names[0]].advice)


def is_on(value: str) -> bool:
    """Return whether the value of a property is true."""
    return value.upper() in _TRUE


def options(work: BuildFile, target: str) -> list[str]:
    """Return the commands with which a target, and what links with it, has relocatable device code."""
    lines = [f"target_compile_options({target} PRIVATE {_COMPILE})", f"target_link_options({target} PUBLIC {_LINK})"]
    kind = _kind(work, target)
    if kind not in _LINKED:
        static = (_STATIC if kind == "STATIC" else _MAYBE_STATIC).format(target)
        lines.append(f"target_link_options({target} INTERFACE {static})")
    return lines


def _kind(work: BuildFile, target: str) -> str:
    """Return what a target is by its own command in the same file; empty if that does not say."""
    for command in work.commands:
        texts = command.texts()
        if texts[:1] != [target]:
            continue
        if command.name in ("add_executable", "cuda_add_executable"):
            return "MODULE"
        if command.name in ("add_library", "cuda_add_library"):
            return texts[1] if texts[1:2] and texts[1] in {"STATIC", *_LINKED} else ""
    return ""
