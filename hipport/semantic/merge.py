"""Combine the answers of all units about each file."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct, field

from hipport.diagnostics import Diagnostic, Severity
from hipport.files import sources
from hipport.mappings.tables import Tables
from hipport.semantic.answers import FileAnswers, Problem
from hipport.semantic.unit import UnitAnswers
from hipport.source import SourceFile
from hipport.translate.meanings import Meanings

_NAME = re.compile(rb"\w+")
_UNSURE = "Names whose definition clang did not find are resolved by syntax in this file."


class _Seen(Struct):
    """The answers for one file, with the units they came from; `failed` is why its own unit gave none."""

    by_unit: list[tuple[str, FileAnswers]] = field(default_factory=list)
    failed: str = ""


class Words(Struct, frozen=True):
    """Texts for notes: advice for files that were not understood, and why a file is part of no unit."""

    advice: str
    no_unit: str


def merge(files: Mapping[str, str], units: Iterable[UnitAnswers], tables: Tables, words: Words) -> dict[str, Meanings]:
    """Return the meanings of the project's files, by the user's name for them; `files` maps real paths to these names.

    If units disagree about a place, syntax decides, and this is reported if HIP has another name for it.
    """
    seen = {real: _Seen() for real in files}
    for unit in units:
        for real, answers in unit.files.items():
            seen[real].by_unit.append((unit.source, answers))
        if unit.failed:
            seen[unit.source].failed = unit.failed

    def name(real: str) -> str:
        return files.get(real, real)

    return {source: _meanings(source, seen[real], name, tables, words) for real, source in files.items()}


def _meanings(source: str, seen: _Seen, name: Callable[[str], str], tables: Tables, words: Words) -> Meanings:
    if not seen.by_unit:
        what = f"names resolved by syntax only: {seen.failed or words.no_unit}"
        return Meanings(diagnostics=(_note(source, 1, 1, what, words.advice),))
    text = _text(source)
    shift = len(text.bom)
    conflicts, cuda, own = _agreed([(unit, answers.cuda, answers.own) for unit, answers in seen.by_unit])
    found = [
        _conflict(text, offset - shift, name(one), name(other))
        for offset, one, other in conflicts
        if _is_renamed(text, offset - shift, tables)
    ]
    problems = [problem for _, answers in seen.by_unit for problem in answers.problems]
    found += [_not_understood(source, problems, words.advice)] if problems else []
    return Meanings(
        frozenset(offset - shift for offset in cuda),
        frozenset(offset - shift for offset in own),
        _members([answers for _, answers in seen.by_unit], shift),
        not problems,
        tuple(found),
    )


def _agreed(
    answers: Sequence[tuple[str, set[int], set[int]]],
) -> tuple[list[tuple[int, str, str]], set[int], set[int]]:
    """Return the places units disagree on, with one unit for each side; and the undisputed CUDA and own places."""
    cuda = {offset: unit for unit, found, _ in reversed(answers) for offset in found}
    own = {offset: unit for unit, _, found in reversed(answers) for offset in found}
    both = cuda.keys() & own.keys()
    conflicts = [(offset, cuda[offset], own[offset]) for offset in sorted(both)]
    return conflicts, {*cuda} - both, {*own} - both


def _members(answers: Iterable[FileAnswers], shift: int) -> dict[int, frozenset[str]]:
    """Return the owners of members; places with different owners in different units are left out."""
    found: dict[int, set[frozenset[str]]] = {}
    for each in answers:
        for offset, owners in each.members.items():
            found.setdefault(offset - shift, set()).add(owners)
    return {offset: next(iter(owners)) for offset, owners in found.items() if len(owners) == 1}


def _text(source: str) -> SourceFile:
    try:
        return SourceFile.decode(sources.read(source), source)
    except OSError:
        return SourceFile(source, b"")


def _is_renamed(text: SourceFile, offset: int, tables: Tables) -> bool:
    """Return whether the meaning of the name at a place affects the translation."""
    match = _NAME.match(text.text, offset)
    entry = tables.names.get(match[0].decode()) if match is not None else None
    return entry is not None and (entry.hip is None or entry.hip.name != entry.name)


def _conflict(text: SourceFile, offset: int, cuda: str, own: str) -> Diagnostic:
    line, column = text.position(offset)
    if cuda == own:
        name = os.path.basename(cuda)
        message = f"this name refers to CUDA in one compile of {name} and to the project in another"
    else:
        one, other = (os.path.basename(unit) for unit in (cuda, own))
        one, other = (one, other) if one != other else (cuda, own)
        message = f"this name refers to CUDA where {one} includes the file and to the project where {other} does"
    advice = "One translation must serve both, here the one by syntax: rename the project's entity."
    return Diagnostic(text.name, line, column, "HP507", Severity.WARNING, message, advice)


def _not_understood(source: str, problems: Sequence[Problem], advice: str) -> Diagnostic:
    first = min(problems, key=lambda problem: (problem.line, problem.column))
    message = f"libclang cannot parse all of this file: {first.message}"
    return _note(source, first.line, first.column, message, f"{_UNSURE} {advice}".strip())


def _note(source: str, line: int, column: int, message: str, advice: str) -> Diagnostic:
    return Diagnostic(source, line, column, "HP506", Severity.NOTE, message, advice)
