"""Give OpenMP to the linker where CMake gives it to nvcc's host compiler: clang's code needs clang's library."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.cmake.edits import after

_OPTION = "-fopenmp"
_LINK = f"$<$<LINK_LANGUAGE:HIP>:{_OPTION}>"


def run(work: BuildFile) -> Iterator[Found]:
    """Add the option for linking after a command that sets it for CUDA sources.

    `CMAKE_CUDA_FLAGS` needs nothing: CMake links with the flags of the language, too.
    """
    for command in work.commands:
        texts = command.texts()
        if not any("COMPILE_LANG" in text and "CUDA" in text and _OPTION in text for text in texts):
            continue
        if command.name == "target_compile_options":
            yield after(work, command, [f"target_link_options({texts[0]} PUBLIC {_LINK})"])
        elif command.name == "add_compile_options":
            yield after(work, command, [f"add_link_options({_LINK})"])
