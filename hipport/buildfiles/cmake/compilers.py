"""Translate where a CMake file says which compiler nvcc is."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.cmake.edits import gone
from hipport.buildfiles.readers.cmake import Command
from hipport.diagnostics import Severity
from hipport.source import Replace

_COMPILERS = {"CMAKE_CUDA_COMPILER", "ENV{CUDACXX}"}
_DRIVERS = {"CUDA_NVCC_EXECUTABLE"}
_NVCC = re.compile(r"(?:.*/)?(nvcc)(?:\.exe)?", re.IGNORECASE)
_REASON = "the compiler is not set to nvcc"
_ADVICE = "CMake finds HIP's compiler itself; -D CMAKE_HIP_COMPILER=... names another clang++."


def run(work: BuildFile) -> Iterator[Found]:
    """Remove what makes nvcc CMake's compiler, and name hipcc where FindCUDA's variable is set."""
    for command in work.commands:
        if command.name not in ("set", "find_program"):
            continue
        variable, *values = command.arguments or (None,)
        if variable is None or not any(_NVCC.fullmatch(value.text) for value in values):
            continue
        if variable.text in _COMPILERS:
            yield from _removed(work, command)
        elif variable.text in _DRIVERS:
            for value in values:
                if name := _NVCC.fullmatch(value.text):
                    yield Replace(value.start + name.start(1), value.start + name.end(1), "hipcc")


def _removed(work: BuildFile, command: Command) -> Iterator[Found]:
    yield gone(work, command)
    yield work.report(command.arguments[0].start, "HP402", Severity.NOTE, _REASON, _ADVICE)
