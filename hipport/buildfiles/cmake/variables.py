"""Translate CMake's variables for CUDA."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hipport import lazy_re as re
from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.cmake.edits import after
from hipport.buildfiles.cmake.targets import scoped
from hipport.buildfiles.readers.cmake import Argument, Command
from hipport.diagnostics import Severity
from hipport.source import Replace

_CONDITIONS = ("if", "elseif", "while")
_NAME = re.compile(r"(?<![\w$])(?:CMAKE_CUDA_\w+|CUDAToolkit_\w+|CUDA_\w+)|(?<=\$\{)CUDA\w+|(?<=-D)CMAKE_CUDA_\w+")
_VERSION = re.compile(
    r"(?P<open>\$\{)?(?:CMAKE_CUDA_COMPILER|CUDAToolkit|CUDA)_VERSION(?:_STRING|_(?P<part>MAJOR|MINOR|PATCH))?(?(open)\})"
)
_COMPARISON = re.compile(r"(?:VERSION_|STR)?(?:LESS|GREATER|EQUAL|LESS_EQUAL|GREATER_EQUAL)|MATCHES")
_RELEASE = {"MAJOR": "12", "MINOR": "9", "PATCH": "0", None: "12.9"}
"""The CUDA release whose functions HIP's are like: the last 12, as for tests in sources."""


def run(work: BuildFile) -> Iterator[Found]:
    """Translate variables by name, in references and where they are set or queried."""
    for command in work.commands:
        compared = tuple(_compared(command)) if command.name in _CONDITIONS else ()
        for argument in command.arguments:
            if argument.text not in work.context.tables.properties and argument not in compared:
                yield from _names(work, argument)
        for argument in compared:
            yield from _release(work, argument)
        if command.name in _CONDITIONS:
            yield from _compiler(command)
        if command.name in ("include_directories", "target_include_directories"):
            yield from _platform(work, command)


def _names(work: BuildFile, argument: Argument) -> Iterator[Found]:
    for match in _NAME.finditer(work.text, argument.start, argument.end):
        word = work.context.tables.variable(match[0])
        if word is not None and word.to:
            yield Replace(match.start(), match.end(), word.to)
        elif word is not None and word.action != "rdc":
            message = f"the variable {word.name} has no counterpart"
            yield work.report(match.start(), "HP405", Severity.WARNING, message, word.advice)


def _compared(command: Command) -> Iterator[Argument]:
    """Yield the arguments of a condition that are a release of CUDA, beside a comparison."""
    texts = ["", *command.texts(), ""]
    for at, argument in enumerate(command.arguments, 1):
        beside = texts[at - 1], texts[at + 1]
        if _VERSION.fullmatch(argument.text) and any(map(_COMPARISON.fullmatch, beside)):
            yield argument


def _release(work: BuildFile, argument: Argument) -> Iterator[Found]:
    """Compare with a release of CUDA, since the numbers of HIP and clang mean nothing here."""
    match = _VERSION.fullmatch(argument.text)
    assert match is not None, "the caller has matched it"
    yield Replace(argument.start, argument.end, _RELEASE[match["part"]])
    message = f"the test of a CUDA release is made for CUDA {_RELEASE[None]}"
    yield work.report(
        argument.start, "HP406", Severity.NOTE, message, "HIP has its functions, or hipport reports them."
    )


def _compiler(command: Command) -> Iterator[Found]:
    """Translate checks of the compiler's ID."""
    texts = command.texts()
    if "NVIDIA" in texts and any("CUDA_COMPILER_ID" in text for text in texts):
        argument = command.arguments[texts.index("NVIDIA")]
        yield Replace(argument.start, argument.end, "Clang")


def _platform(work: BuildFile, command: Command) -> Iterator[Found]:
    """Define the HIP platform for host code that finds HIP's headers by their folder alone."""
    rows = work.context.tables.variables
    names = {name for name, word in rows.items() if word.to == "hip_INCLUDE_DIRS"}
    definition = "__HIP_PLATFORM_AMD__)"
    if command.name == "include_directories":
        if any(_names_one(argument, names) for argument in command.arguments):
            yield after(work, command, [f"add_compile_definitions({definition}"])
        return
    scopes = [scope for scope, argument in scoped(command) if scope and _names_one(argument, names)]
    target = command.texts()[0] if scopes else ""
    lines = [f"target_compile_definitions({target} {scope} {definition}" for scope in dict.fromkeys(scopes)]
    yield from [after(work, command, lines)] if lines else []


def _names_one(argument: Argument, variables: Collection[str]) -> bool:
    return any(f"${{{name}}}" in argument.text for name in variables)
