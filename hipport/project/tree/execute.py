"""Execute the steps for an output tree, in an order in which an interruption at any point does no harm."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from typing import BinaryIO

from msgspec import Struct

from hipport.diagnostics import Diagnostic
from hipport.files.hashes import Hasher, digest_of_file
from hipport.files.sources import open_regular
from hipport.project import problems
from hipport.project.content import Bytes, SameAs
from hipport.project.output import Output
from hipport.project.request import Verdict
from hipport.project.state.folder import StateFolder
from hipport.project.state.manifest import Manifest
from hipport.project.task import Action
from hipport.project.tree.merge_bases import bases
from hipport.project.tree.steps import FileStep
from hipport.project.tree.wanted import CHANGED, SourceError, Wanted


def execute(steps: Sequence[FileStep], tree: str, folder: StateFolder, hasher: Hasher) -> dict[str, Diagnostic]:
    """Write and remove files; return the failures, by target.

    Merge bases are stored first, so that no written file lacks its own.
    """
    failures: dict[str, Diagnostic] = {}
    folder.keep_bases(bases(steps, tree, hasher))
    with Output(tree) as output:
        executor = _Executor(tree, output, hasher)
        for step in steps:
            try:
                executor.execute(step)
            except SourceError as error:
                assert step.wanted is not None
                failures[step.target] = problems.unreadable(step.wanted.task.source, error)
            except OSError as error:
                path = os.path.join(tree, step.target)
                source = step.wanted.task.source if step.wanted else path
                failures[step.target] = problems.unwritable(source, path, error)
    return failures


def after(steps: Iterable[FileStep], failures: dict[str, Diagnostic], planned: Manifest) -> Manifest:
    """Return the manifest of the tree as it is now; failed targets keep their old entries."""
    entries = dict(planned.entries)
    for step in steps:
        if step.target in failures:
            entries.pop(step.target, None)
            if step.before is not None and not step.moved_from:
                entries[step.target] = step.before
    return Manifest(planned.setup, entries)


class _Executor(Struct, frozen=True):
    """Executes single steps; `hasher` has the state of the sources as planned."""

    tree: str
    output: Output
    hasher: Hasher

    def execute(self, step: FileStep) -> None:
        """Execute a step; raises OSError, or SourceError if the source is to blame."""
        if step.verdict is Verdict.REMOVE:
            self._remove(step.target)
        elif step.merged is not None:
            self._write_merged(step, step.merged)
        elif step.verdict is Verdict.WRITE and step.wanted is not None:
            self._write(step.wanted)
        elif step.verdict is Verdict.SAME and step.wanted is not None:
            self._adopt(step, step.wanted)

    def _write_merged(self, step: FileStep, merged: bytes) -> None:
        assert step.wanted is not None
        old = step.moved_from or step.target
        mode = stat.S_IMODE(os.stat(os.path.join(self.tree, old)).st_mode)
        self.output.write(step.target, Bytes(merged), mode & 0o777)
        if step.moved_from:
            self._remove(step.moved_from)

    def _write(self, wanted: Wanted) -> None:
        task = wanted.task
        if task.action is Action.LINK:
            self.output.link(task.target, task.link)
        elif wanted.data is not None:
            self.output.write(task.target, Bytes(wanted.data), task.mode)
        else:
            with wanted.opened() as file:
                self.output.write(task.target, SameAs(file, lambda: self._check(wanted, file)), task.mode)

    def _check(self, wanted: Wanted, file: BinaryIO) -> None:
        """Raise SourceError if a source that was just read does not match its future manifest entry."""
        source, status = wanted.task.source, os.fstat(file.fileno())
        if not self.hasher.is_as_seen(source, status) and digest_of_file(source) != wanted.entry.output:
            raise SourceError(CHANGED)

    def _adopt(self, step: FileStep, wanted: Wanted) -> None:
        """Fix the permissions of a file whose content is already right."""
        task, path = wanted.task, os.path.join(self.tree, step.target)
        if task.action is Action.LINK:
            return
        if stat.S_IMODE(os.lstat(path).st_mode) & 0o777 != task.mode:
            with open_regular(path) as file:
                self.output.write(task.target, SameAs(file), task.mode)

    def _remove(self, target: str) -> None:
        """Remove a file and the folders left empty by that."""
        self.output.remove(target)
        parent = os.path.dirname(target)
        while parent:
            self.output.remove_empty(parent)
            parent = os.path.dirname(parent)
