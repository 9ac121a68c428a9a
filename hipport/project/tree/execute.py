"""Carries out the steps for an output tree, in an order that an interruption at any moment does no harm to."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterable, Sequence

from hipport.diagnostics import Diagnostic
from hipport.project import problems
from hipport.project.output import Output
from hipport.project.request import Verdict
from hipport.project.sources import LARGEST, open_regular, read
from hipport.project.state.folder import StateFolder
from hipport.project.state.manifest import Manifest
from hipport.project.task import Action
from hipport.project.tree.steps import Step
from hipport.project.tree.wanted import SourceError, Wanted


def execute(steps: Sequence[Step], tree: str, folder: StateFolder) -> dict[str, Diagnostic]:
    """Write and remove; what could not be done, by target."""
    failures: dict[str, Diagnostic] = {}
    output = Output(tree)
    for step in steps:
        try:
            _execute(step, tree, output, folder)
        except SourceError as error:
            assert step.wanted is not None
            failures[step.target] = problems.unreadable(step.wanted.task.source, error)
        except OSError as error:
            path = os.path.join(tree, step.target)
            failures[step.target] = problems.unwritable(step.wanted.task.source if step.wanted else path, path, error)
    return failures


def after(steps: Iterable[Step], failures: dict[str, Diagnostic], planned: Manifest) -> Manifest:
    """The manifest of the tree as it is now: what failed is as it was."""
    entries = dict(planned.entries)
    for step in steps:
        if step.target in failures:
            entries.pop(step.target, None)
            if step.before is not None and not step.moved_from:
                entries[step.target] = step.before
    return Manifest(planned.setup, entries)


def _execute(step: Step, tree: str, output: Output, folder: StateFolder) -> None:
    if step.verdict is Verdict.REMOVE:
        _remove(step.target, output)
    elif step.merged is not None:
        assert step.wanted is not None
        folder.keep_base(step.wanted.content())
        old = step.moved_from or step.target
        mode = stat.S_IMODE(os.stat(os.path.join(tree, old)).st_mode)
        output.write(step.target, io.BytesIO(step.merged), mode & 0o777)
        if step.moved_from:
            _remove(step.moved_from, output)
    elif step.verdict is Verdict.WRITE and step.wanted is not None:
        _write(step.wanted, output, folder)
    elif step.verdict is Verdict.SAME and step.wanted is not None:
        _adopt(step, os.path.join(tree, step.target), output, folder)


def _write(wanted: Wanted, output: Output, folder: StateFolder) -> None:
    task = wanted.task
    if task.action is Action.LINK:
        output.link(task.target, task.link)
    elif wanted.data is None and task.size > LARGEST:
        with open_regular(task.source) as content:
            output.write(task.target, content, task.mode)
    else:
        data = wanted.content()
        folder.keep_base(data)
        output.write(task.target, io.BytesIO(data), task.mode)


def _adopt(step: Step, path: str, output: Output, folder: StateFolder) -> None:
    """A file that is right already: its base is kept if it was not known so, its permissions are mended."""
    assert step.wanted is not None
    task = step.wanted.task
    if task.action is Action.LINK:
        return
    if (step.before is None or step.before.output != step.wanted.entry.output) and task.size <= LARGEST:
        folder.keep_base(read(path))
    if stat.S_IMODE(os.lstat(path).st_mode) & 0o777 != task.mode:
        with open_regular(path) as content:
            output.write(task.target, io.BytesIO(content.read()), task.mode)


def _remove(target: str, output: Output) -> None:
    """Remove a file and the folders that it leaves empty."""
    output.remove(target)
    parent = os.path.dirname(target)
    while parent:
        output.remove_empty(parent)
        parent = os.path.dirname(parent)
