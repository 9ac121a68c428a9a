"""Attribute the errors of a build to the sources: to a finding of the translation, or to a finding of their own."""

from __future__ import annotations

import difflib
import functools
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hipport.buildfiles.build_systems import kind_of
from hipport.diagnostics import Diagnostic, Quote, Severity
from hipport.port.advice import advice
from hipport.port.failures import Failure
from hipport.project.request import FileResult

_QUOTED = re.compile(r"['\u2018]([^'\u2018\u2019]+)['\u2019]")  # gcc's quotation marks follow the locale
_UNDECLARED = re.compile(r"undeclared identifier|was not declared")
_WORD = re.compile(r"[A-Za-z_]\w{2,}")
_PREFIX = re.compile(r"^(?:hip|cuda|cu(?=[A-Z])|CUDA_?|HIP_?|CU_)")
_ABSENT = re.compile(r"the package (\S+) is not installed")
_NO_TARGET = re.compile(r"links to: (?P<target>[\w:.+-]+) but the target was not found")
_COMPILES = "HP601"
_BUILDS = "HP602"


@dataclass(frozen=True, slots=True)
class Remaining:
    """The work that is left after a build.

    `explained` are the findings of the translation that errors of the build are about; `new` are findings for the
    other errors.
    """

    explained: tuple[Diagnostic, ...]
    new: tuple[Diagnostic, ...]


def attribute(
    failures: Iterable[Failure], files: Sequence[FileResult], findings: Sequence[Diagnostic], tree: str
) -> Remaining:
    """Return what the errors of a build of `tree` are about, in the order of the build, each finding once."""
    origins = {os.path.normpath(Path(file.target).absolute()): file.source for file in files if file.target}
    places = {(found.path, found.line): found for found in findings if found.severity is not Severity.NOTE}
    names = dict(_names(places.values()))
    explained: dict[Diagnostic, None] = {}
    new: dict[object, Diagnostic] = {}
    for failure in _causes([*failures]):
        source = origins.get(failure.path)
        lines = list(source_lines(source, failure.path, failure.line)) if source else []
        placed = [places.get((source or "", line)) for line in lines]
        about = _about(failure, placed, names) or _declared_there(failure, source, lines, places.values())
        if about is not None:
            explained[about] = None
        else:
            found = _own_finding(failure, source, lines, advice(failure, tree))
            # A compiler's further errors in a line mostly follow from the first.
            new.setdefault((found.path, found.line) if found.code == _COMPILES and failure.path else found, found)
    return Remaining(tuple(explained), tuple(new.values()))


def _causes(failures: Sequence[Failure]) -> Iterator[Failure]:
    """Yield the errors without those about targets of packages that are not installed, which are errors themselves."""
    absent = {found[1].lower() for failure in failures for found in _ABSENT.finditer(failure.message)}
    for failure in failures:
        target = _NO_TARGET.search(failure.message)
        if target is None or absent.isdisjoint(target["target"].lower().split("::")):
            yield failure


def source_lines(source: str, target: str, number: int) -> Iterable[int]:
    """Return the lines of a source that a line of its translation comes from."""
    for tag, old_start, old_end, new_start, new_end in _changes(source, target):
        if new_start < number <= new_end:
            if tag == "equal" or old_end - old_start == new_end - new_start:
                return [old_start + number - new_start]
            return range(old_start + 1, old_end + 1)
    return []


_OF_EITHER = re.compile(r"\b(?:hip|cuda|cu(?=[A-Z]))")
"""Matches what the translation of a name changes in most cases: lines that differ in no more correspond."""


@functools.lru_cache(maxsize=64)
def _changes(source: str, target: str) -> Sequence[tuple[str, int, int, int, int]]:
    try:
        texts = (Path(path).read_text("utf-8", "replace") for path in (source, target))
        old, new = (_OF_EITHER.sub("", text).split("\n") for text in texts)
    except OSError:
        return []
    return difflib.SequenceMatcher(None, old, new, False).get_opcodes()


def _names(findings: Iterable[Diagnostic]) -> Iterator[tuple[str, Diagnostic]]:
    """Yield the names that findings begin with, without the prefixes of CUDA and HIP."""
    for found in findings:
        word = found.message.partition(" ")[0].strip("'`")
        if re.fullmatch(r"[A-Za-z_]\w{2,}", word) and _PREFIX.search(word):
            yield _PREFIX.sub("", word).lower(), found


def _about(failure: Failure, placed: Iterable[Diagnostic | None], names: dict[str, Diagnostic]) -> Diagnostic | None:
    for found in placed:
        if found is not None:
            return found
    for quoted in _QUOTED.findall(failure.message):
        for word in _WORD.findall(quoted):
            if found := names.get(_PREFIX.sub("", word).lower()):
                return found
    return None


def _declared_there(
    failure: Failure, source: str | None, lines: Sequence[int], findings: Iterable[Diagnostic]
) -> Diagnostic | None:
    """Return the error in a line that declares what a later line uses, since the compiler refused the declaration."""
    quoted = _QUOTED.search(failure.message) if lines and _UNDECLARED.search(failure.message) else None
    if quoted is None:
        return None
    name = re.compile(rf"\b{re.escape(quoted[1])}\b")
    for found in findings:
        refused = (found.path, found.severity) == (source, Severity.ERROR) and found.line < lines[0]
        if refused and found.quote is not None and name.search(found.quote.text, found.quote.end - 1):
            return found
    return None


def _own_finding(failure: Failure, source: str | None, lines: Sequence[int], help_: str) -> Diagnostic:
    code = _COMPILES if failure.path and not _is_of_the_build(failure.path) else _BUILDS
    if source is None or not lines:
        path = os.path.relpath(failure.path) if failure.path else "build"
        return Diagnostic(path, failure.line, failure.column, code, Severity.ERROR, failure.message, help_)
    quote = _quote(source, lines[0])
    column = len(quote.text) - len(quote.text.lstrip()) + 1 if quote is not None else 1
    return Diagnostic(source, lines[0], column, code, Severity.ERROR, failure.message, help_, quote=quote)


def _is_of_the_build(path: str) -> bool:
    """Return whether a file says how to build, and is not compiled itself."""
    return kind_of(path) is not None or path.endswith((".txt", ".cmake", ".py", ".mk", ".am"))


def _quote(source: str, line: int) -> Quote | None:
    try:
        text = Path(source).read_text("utf-8", "replace").split("\n")[line - 1].rstrip("\r")
    except (OSError, IndexError):
        return None
    return Quote(text, len(text) + 1)
