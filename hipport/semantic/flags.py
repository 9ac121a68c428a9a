"""Extract the few compiler options that libclang needs: include paths, macros and the language standard."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Sequence

from msgspec import Struct

from hipport.files import sources
from hipport.files.paths import is_possible

_LONG = {
    "--include-path": "-I",
    "--define-macro": "-D",
    "--undefine-macro": "-U",
    "--pre-include": "-include",
    "--system-include": "-isystem",
    "--options-file": "@",
    "-optf": "@",
    "--std": "-std",
    "-std": "-std",
    "--x": "-x",
    "--compiler-options": "-Xcompiler",
    "-rdc": "-rdc",
    "--relocatable-device-code": "-rdc",
}
"""Maps nvcc's long spellings to the usual ones; the value follows `=` or is the next argument."""
_JOINED = ("-isystem", "-iquote", "-idirafter", "-include", "-Xcompiler", "-I", "-D", "-U", "-x")
PATHS = frozenset({"-isystem", "-iquote", "-idirafter", "-include", "-I"})
_RDC = frozenset({"-fgpu-rdc", "-dc", "--device-c"})
_STANDARD = re.compile(r"(?:c|gnu)(\+\+)?\w{2,3}")
_LANGUAGES = {"cu": "cuda", "cuda": "cuda", "c": "c", "c++": "c++"}
_OF_SUFFIX = {".cu": "cuda", ".c": "c"}
_DEEPEST = 4
_LARGEST = 1 << 20  # bytes of a response file


class Flags(Struct, frozen=True):
    """The options for a unit: its language as clang names it, its standard (empty for the default), and the others.

    `rdc` and `openmp` matter only to builds.
    """

    language: str
    standard: str
    others: tuple[str, ...]
    rdc: bool = False
    openmp: bool = False


def read_flags(arguments: Sequence[str], source: str, folder: str) -> Flags:
    """Return those of a compiler's arguments that affect names; relative paths are based on `folder`.

    Anything not known to be harmless is dropped: plugins, options for other stages, programs. Response files are read;
    nothing is run.
    """
    language = _OF_SUFFIX.get(os.path.splitext(source)[1], "c++")
    standard = ""
    others: list[str] = []
    rdc = openmp = False
    for option, value in _pairs(list(arguments), folder, 0):
        if option == "-x":
            language = _LANGUAGES.get(value, language)
        elif option == "-std":
            standard = value if _STANDARD.fullmatch(value) else standard
        elif option == "-rdc":
            rdc = value == "true"
        elif option == "-fopenmp":
            openmp = True
        else:
            others += (option, os.path.join(folder, value)) if option in PATHS else (option + value,)
    match = _STANDARD.fullmatch(standard)
    fits = match is not None and (match[1] is None) == (language == "c")
    return Flags(language, standard if fits else "", tuple(others), rdc, openmp)


def _pairs(arguments: list[str], folder: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield the known options with their values; response files and `-Xcompiler` are expanded in place."""
    waiting = iter(arguments)
    for argument in waiting:
        option, value = _split(argument)
        if not option:
            continue
        if value is None:
            value = next(waiting, "")
        if not is_possible(value) or (not value and option != "@"):
            continue
        if option == "@":
            yield from _pairs(_response(os.path.join(folder, value), depth), folder, depth + 1)
        elif option == "-Xcompiler":
            yield from _pairs(value.split(","), folder, depth + 1) if depth < _DEEPEST else ()
        else:
            yield option, value


def _split(argument: str) -> tuple[str, str | None]:
    """Return the option and its value, None if that is the next argument; an empty option if it is irrelevant."""
    if argument.startswith("@"):
        return "@", argument[1:]
    if argument in _RDC or argument.startswith("-fopenmp"):
        return ("-rdc", "true") if argument in _RDC else ("-fopenmp", argument)
    head, equals, tail = argument.partition("=")
    if head in _LONG and (equals or head != "-std"):
        return _LONG[head], tail if equals else None
    for option in _JOINED:
        if argument.startswith(option):
            rest = argument.removeprefix(option)
            return option, rest.removeprefix("=") if rest else None
    return "", None


def _response(path: str, depth: int) -> list[str]:
    """Return the arguments in a response file; none if it is invalid, too large or nested too deep."""
    try:
        if depth >= _DEEPEST or os.path.getsize(path) > _LARGEST:
            return []
        return shlex.split(sources.read(path).decode("utf-8", "surrogateescape"))
    except (OSError, ValueError):
        return []
