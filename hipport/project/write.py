"""Write translated files, copies and links to their destinations."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

from hipport.diagnostics import Diagnostic
from hipport.files import sources
from hipport.project import problems
from hipport.project.content import Bytes, Content, SameAs
from hipport.project.output import Output
from hipport.project.plan import TreePlan
from hipport.project.task import Action, Task
from hipport.project.translate import Outcome

Failures = dict[str, Diagnostic]
"""Diagnostics of what could not be written, by `Task.source`."""


def write_copy(plan: TreePlan, outcomes: Mapping[str, Outcome]) -> Failures:
    """Write the whole plan to its output folder."""
    return make_folders(plan.folders) | _write_all(plan.tasks, outcomes)


def make_folders(folders: Sequence[tuple[str, str]]) -> Failures:
    """Create folders, given as (root, folder) as in a plan; return the failures, by folder."""
    failures: Failures = {}
    with contextlib.ExitStack() as stack:
        outputs = {root: stack.enter_context(Output(root)) for root in {root for root, _ in folders}}
        for root, folder in folders:
            try:
                outputs[root].make_folder(folder.rstrip("/"))
            except OSError as error:
                path = os.path.join(root, folder)
                failures[folder] = problems.unwritable(path, path, error)
    return failures


def write_in_place(plan: TreePlan, outcomes: Mapping[str, Outcome]) -> Failures:
    """Write what differs from its source; a renamed file's old name is removed after the new one is written."""
    tasks = [task for task in plan.tasks if outcomes.get(task.source, Outcome()).changes(task)]
    return _write_all(tasks, outcomes, replace_source=True)


def _write_all(tasks: Iterable[Task], outcomes: Mapping[str, Outcome], *, replace_source: bool = False) -> Failures:
    failures: Failures = {}
    for task in tasks:
        outcome = outcomes.get(task.source, Outcome())
        if outcome.failed:
            continue
        problem = _write(task, outcome)
        if problem is None and replace_source and task.target != task.relative:
            problem = _remove(task)
        if problem is not None:
            failures[task.source] = problem
    return failures


def _write(task: Task, outcome: Outcome) -> Diagnostic | None:
    output = Output(task.root)
    with contextlib.ExitStack() as stack:
        try:
            if task.action is Action.LINK:
                output.link(task.target, task.link)
                return None
            content = stack.enter_context(_opened(task, outcome))
        except OSError as error:
            return problems.unreadable(task.source, error)
        try:
            output.write(task.target, content, task.mode)
        except OSError as error:
            return problems.unwritable(task.source, task.written, error)
    return None


@contextlib.contextmanager
def _opened(task: Task, outcome: Outcome) -> Iterator[Content]:
    if outcome.data is not None:
        yield Bytes(outcome.data)
        return
    with sources.open_regular(task.source) as file:
        yield SameAs(file)


def _remove(task: Task) -> Diagnostic | None:
    try:
        Output(task.root).remove(task.relative)
    except OSError as error:
        return problems.unwritable(task.source, task.source, error)
    return None


def write_text(path: str, text: str) -> None:
    """Write a file that is not part of a tree, atomically unless it is a pipe or device; raises OSError."""
    if os.path.lexists(path) and not os.path.isfile(path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return
    folder, name = os.path.split(os.path.realpath(path))
    Output(folder).write(name, Bytes(text.encode()), 0o644)
