"""Translate sources and folders in CMake files."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.files import source_names
from hipport.buildfiles.folders import toolkit_folders
from hipport.buildfiles.readers.cmake import Argument
from hipport.diagnostics import Severity
from hipport.source import Replace

_WITH_SOURCES = {"add_executable", "add_library", "target_sources", "cuda_add_executable", "cuda_add_library"}


def run(work: BuildFile) -> Iterator[Found]:
    """Update names and patterns of sources; report those that stay `.cu`, which CMake does not treat as HIP."""
    for command in work.commands:
        if command.name in _WITH_SOURCES:
            for argument in command.arguments[1:]:
                yield from _without_suffix(work, argument)
        for argument in command.arguments:
            yield from source_names(work, argument.start, argument.end)
            yield from toolkit_folders(work, argument.start, argument.end)
            name = argument.text.rpartition("/")[2]
            if command.name in _WITH_SOURCES and name in work.context.kept:
                advice = f"Add set_source_files_properties({argument.text} PROPERTIES LANGUAGE HIP)."
                yield work.report(
                    argument.start, "HP408", Severity.WARNING, f"CMake does not recognize {name} as HIP", advice
                )


def _without_suffix(work: BuildFile, source: Argument) -> Iterator[Found]:
    """Write the suffix of a source that CMake found without: the policy CMP0115 of CMake 3.20 ends that."""
    name = source.text.rpartition("/")[2]
    renamed = work.context.renamed.get(f"{name}.cu")
    if renamed is not None:
        yield Replace(source.end - len(name), source.end, renamed)
