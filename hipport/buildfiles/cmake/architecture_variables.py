"""Translate a project's own variables whose values become lists of architectures in CMake files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from hipport import lazy_re as re
from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.options import architectures_named
from hipport.buildfiles.readers.cmake import Argument, Command
from hipport.diagnostics import Severity
from hipport.source import Replace

LIST = "CMAKE_CUDA_ARCHITECTURES"
PROPERTY = "CUDA_ARCHITECTURES"
_NVIDIA = re.compile(r"(?:sm_|compute_)?[1-9]\d{1,2}[af]?(?:-real|-virtual)?|all|all-major|native")
_REFERENCE = re.compile(r"\$\{(\w+)\}")
_DEFINITION = re.compile(rf"-D{LIST}(?::\w+)?=(.*)", re.DOTALL)
_DEFINING = {"target_compile_definitions", "add_compile_definitions", "add_definitions"}
_NUMERIC = re.compile(r"(?:LESS|GREATER|EQUAL)(?:_EQUAL)?")


def variables(files: Iterable[BuildFile]) -> frozenset[str]:
    """Return the variables whose values reach the list of architectures or the property of a target."""
    parts: dict[str, set[str]] = {}
    found: set[str] = set()
    for command in (command for file in files for command in file.commands):
        texts = command.texts()
        name, values = _assigned(command)
        if name:
            parts.setdefault(name, set()).update(_references(value.text for value in values))
        if PROPERTY in texts and command.name.startswith("set_"):
            found.update(
                _references(texts[texts.index(PROPERTY) + 1 :][: None if command.name == "set_property" else 1])
            )
        for text in texts:
            if definition := _DEFINITION.fullmatch(text):
                found.update(_references([definition[1]]))
    found |= parts.get(LIST, set())
    waiting = list(found)
    while waiting:
        fresh = parts.get(waiting.pop(), set()) - found
        found |= fresh
        waiting += fresh
    return frozenset(found - {LIST})


def run(work: BuildFile) -> Iterator[Found]:
    """Replace architectures in the values of such variables; report where architectures are taken for numbers."""
    ours = work.context.architectures
    for command in work.commands:
        name, values = _assigned(command)
        if name in ours:
            yield from _values(work, values)
        yield from _given(work, command)
        yield from _numbers(work, command, ours | {LIST})


def _assigned(command: Command) -> tuple[str, Sequence[Argument]]:
    """Return the variable that a command sets, extends or loops with, and its values."""
    arguments = command.arguments
    if command.name == "list" and command.texts()[:1] in (["APPEND"], ["PREPEND"]):
        arguments = arguments[1:]
    elif command.name not in ("set", "foreach"):
        return "", ()
    if not arguments:
        return "", ()
    ends = ("CACHE", "PARENT_SCOPE")
    return arguments[0].text, list(takewhile(lambda each: each.quoted or each.text not in ends, arguments[1:]))


def _references(texts: Iterable[str]) -> set[str]:
    return {name for text in texts for name in _REFERENCE.findall(text)}


def _values(work: BuildFile, values: Sequence[Argument]) -> Iterator[Found]:
    """Replace each run of architectures with the targets."""
    index, reported = 0, False
    while index < len(values):
        run_of = list(takewhile(lambda value: _is_list(value.text), values[index:]))
        if run_of:
            first, last = run_of[0], run_of[-1]
            inside = len(run_of) == 1 and (first.quoted or ";" in first.text)
            outer = 0 if inside else 1
            text = (";" if inside else " ").join(work.context.targets)
            yield Replace(first.start - first.quoted * outer, last.end + last.quoted * outer, text)
        elif ";" in values[index].text and any(map(_NVIDIA.fullmatch, values[index].text.split(";"))):
            first, run_of = values[index], [values[index]]
            others = [part for part in first.text.split(";") if not _NVIDIA.fullmatch(part)]
            yield Replace(first.start, first.end, ";".join((*others, *work.context.targets)))
        if run_of and not reported:
            reported = True
            yield architectures_named(work, run_of[0].start, work.context.targets)
        index += len(run_of) or 1


def _given(work: BuildFile, command: Command) -> Iterator[Found]:
    """Replace architectures that a command gives to another project: `-DCMAKE_CUDA_ARCHITECTURES=70`."""
    for argument in command.arguments:
        definition = _DEFINITION.fullmatch(argument.text)
        if definition and _is_list(definition[1]):
            # The module joins and splits its arguments at semicolons.
            separator = "$<SEMICOLON>" if command.name == "externalproject_add" else ";"
            yield Replace(argument.end - len(definition[1]), argument.end, separator.join(work.context.targets))
            yield architectures_named(work, argument.start, work.context.targets)


def _is_list(text: str) -> bool:
    parts = [part for part in text.split(";") if part]
    return bool(parts) and all(map(_NVIDIA.fullmatch, parts))


def _numbers(work: BuildFile, command: Command, names: frozenset[str]) -> Iterator[Found]:
    """Report an architecture that becomes a macro, or that is compared with a number or calculated with."""
    texts = ["", *command.texts(), ""]
    for at, argument in enumerate(command.arguments, 1):
        used = _references([argument.text]) & names
        if command.name in ("if", "elseif") and (used or argument.text in names):
            used = used or {argument.text}
            taken = any(map(_NUMERIC.fullmatch, (texts[at - 1], texts[at + 1])))
        else:
            taken = command.name in _DEFINING or (command.name == "math" and at > 1) or argument.text.startswith("-D")
            taken = taken and not _DEFINITION.fullmatch(argument.text)
        if used and taken:
            message = f"the architectures in {min(used)} are taken for numbers here; those of AMD are names"
            advice = "Write the number that the sources expect, or take the test out."
            yield work.report(argument.start, "HP405", Severity.WARNING, message, advice)
