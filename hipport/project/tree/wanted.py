"""Determine the files of an output tree, after translation and before anything is written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import BinaryIO

from msgspec import Struct

from hipport.diagnostics import Diagnostic
from hipport.files import sources
from hipport.files.hashes import Hasher, digest, digest_of_link
from hipport.project import problems
from hipport.project.state.manifest import ManifestEntry
from hipport.project.task import Action, Task
from hipport.project.translate import Outcome
from hipport.support import closure, include_dir

CHANGED = "it changed while it was read"


class SourceError(OSError):
    """The source cannot be read, or has changed since it was examined."""


class Wanted(Struct, frozen=True):
    """A file that the output should have; `data` is its content if that differs from the source."""

    task: Task
    entry: ManifestEntry
    data: bytes | None = None

    def content(self) -> bytes:
        """Return the content to write; raises SourceError."""
        if self.data is not None:
            return self.data
        with self.opened() as file:
            found = file.read()
        if digest(found) != self.entry.output:
            raise SourceError(CHANGED)
        return found

    def opened(self) -> BinaryIO:
        """Open the source for reading; raises SourceError."""
        try:
            return sources.open_regular(self.task.source)
        except OSError as error:
            raise SourceError(error.errno, error.strerror) from error


def read_inputs(tasks: Iterable[Task], hasher: Hasher) -> tuple[dict[str, str], dict[str, Diagnostic]]:
    """Return the digests of all sources, and the failures to read one, both by `Task.source`."""
    inputs: dict[str, str] = {}
    failures: dict[str, Diagnostic] = {}
    for task in tasks:
        try:
            inputs[task.source] = _input(task, hasher)
        except OSError as error:
            failures[task.source] = problems.unreadable(task.source, error)
    return inputs, failures


def _input(task: Task, hasher: Hasher) -> str:
    if task.action is Action.LINK:
        return digest_of_link(task.link_was)
    return hasher.of_file(task.source, os.stat(task.source))


def wanted_files(
    tasks: Iterable[Task], inputs: Mapping[str, str], outcomes: Mapping[str, Outcome], *, support: bool, alone: bool
) -> dict[str, Wanted]:
    """Return the output's files, by target; `support` adds hipport's own headers that translations include."""
    files: dict[str, Wanted] = {}
    headers: set[str] = set()
    for task in tasks:
        outcome = outcomes.get(task.source, Outcome())
        if task.source in inputs and not outcome.failed:
            files[task.target] = _wanted(task, inputs[task.source], outcome, alone=alone)
            headers |= {*outcome.support} if support else set()
    for header, data in closure(headers).items():
        source = str(include_dir() / header)
        task = Task(source, "", header, header, source, Action.COPY, len(data))
        files.setdefault(header, Wanted(task, ManifestEntry(header, digest(data), digest(data), alone), data))
    return files


def _wanted(task: Task, read: str, outcome: Outcome, *, alone: bool) -> Wanted:
    if task.action is Action.LINK:
        made = digest_of_link(task.link)
    else:
        made = outcome.digest or (read if outcome.data is None else digest(outcome.data))
    return Wanted(task, ManifestEntry(task.relative, read, made, alone), outcome.data)
