"""Give OpenMP to the linker where CMake gives it to nvcc's host compiler: clang's code needs clang's library."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.cmake.edits import after
from hipport.buildfiles.cmake.targets import scoped

_OPTION = "-fopenmp"
_LINK = f"$<$<LINK_LANGUAGE:HIP>:{_OPTION}>"


def run(work: BuildFile) -> Iterator[Found]:
    """Add the option for linking after a command that sets it for CUDA sources.

    `CMAKE_CUDA_FLAGS` needs nothing: CMake links with the flags of the language, too.
    """
    for command in work.commands:
        scopes = {scope for scope, argument in scoped(command) if _is_for_cuda(argument.text)}
        if command.name == "target_compile_options" and scopes:
            scope = "INTERFACE" if scopes == {"INTERFACE"} else "PUBLIC"  # a static library is linked by others
            yield after(work, command, [f"target_link_options({command.texts()[0]} {scope} {_LINK})"])
        elif command.name == "add_compile_options" and any(map(_is_for_cuda, command.texts())):
            yield after(work, command, [f"add_link_options({_LINK})"])


def _is_for_cuda(option: str) -> bool:
    return "COMPILE_LANG" in option and "CUDA" in option and _OPTION in option
