"""Translate the commands of the old module FindCUDA."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.cmake.edits import after, become, rename, spelled, without
from hipport.buildfiles.readers.cmake import Command
from hipport.buildfiles.tables import Library, Word
from hipport.diagnostics import Severity

_OPTIONS = "OPTIONS"
_KEYWORD = "CUDA_LINK_LIBRARIES_KEYWORD"
_RUNNING = {"add_custom_command", "add_custom_target", "execute_process"}
_COMPILERS = {"${CMAKE_CUDA_COMPILER}", "${CUDA_NVCC_EXECUTABLE}", "${CUDAToolkit_NVCC_EXECUTABLE}", "nvcc"}


def run(work: BuildFile) -> Iterator[Found]:
    """Translate `cuda_add_executable` and similar commands."""
    for command in work.commands:
        word = work.context.tables.commands.get(command.name)
        if word is not None:
            yield from _command(work, command, word)
        elif command.name in _RUNNING:
            yield from _own_call(work, command)


def _own_call(work: BuildFile, command: Command) -> Iterator[Found]:
    """Report a project's own command line for nvcc: what it makes, usually a PTX file, is of no use to HIP."""
    for argument in command.arguments:
        if argument.text in _COMPILERS:
            message = "a custom command runs nvcc; its options are not translated"
            advice = "For a code object: clang++ -x hip --offload-device-only --offload-arch=... -c SOURCE -o FILE."
            yield work.report(argument.start, "HP405", Severity.ERROR, message, advice)


def _command(work: BuildFile, command: Command, word: Word) -> Iterator[Found]:
    library = work.library(word.links) if word.links else None
    if word.to:
        yield rename(command, word.to)
        yield from _without_options(work, command)
        if library is not None and command.arguments:
            yield after(work, command, [_linking(work, command, library)])
    elif library is not None and command.arguments:
        yield become(command, _linking(work, command, library))
    else:
        message = f"the command {command.name} has no counterpart"
        yield work.report(command.start, "HP405", Severity.ERROR, message, word.advice)


def _linking(work: BuildFile, command: Command, library: Library) -> str:
    """Return the command that links a target as FindCUDA does, by the signature without a keyword unless one is set."""
    keyword = f"${{{_KEYWORD}}} " if work.context.link_keyword else ""
    return f"target_link_libraries({spelled(command.arguments[0])} {keyword}{library.target})"


def _without_options(work: BuildFile, command: Command) -> Iterator[Found]:
    """Remove nvcc options for one target, which need a command of their own."""
    texts = command.texts()
    if _OPTIONS not in texts:
        return
    at = texts.index(_OPTIONS)
    yield from without(work, command, at, len(texts) - 1)
    message = f"options for one target are removed: {' '.join(texts[at + 1 :])}"
    advice = f"Set them with target_compile_options({texts[0]} PRIVATE ...)."
    yield work.report(command.arguments[at].start, "HP402", Severity.WARNING, message, advice)
