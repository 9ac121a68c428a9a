"""Choose which files to rename: by suffix, unless the new name is taken.

A basename changes everywhere in the project or nowhere, so that every `#include` of it can follow.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from hipport.diagnostics import Diagnostic
from hipport.files import sources
from hipport.project import problems
from hipport.project.task import Action, Task


def choose_names(tasks: Sequence[Task], *, on_disk: bool) -> tuple[dict[str, str], list[Diagnostic]]:
    """Return the real paths that change, old to new, and a diagnostic for each file that must keep its name.

    With `on_disk`, existing files that are not part of the project also block a new name.
    """
    changing = [task for task in tasks if sources.is_renamed(task.real)]
    candidates = {task.real: task for task in _candidates(tasks, changing)}
    occupied = {task.written for task in tasks}
    taken = {task.real for task in changing if _is_taken(task, occupied, on_disk)}
    blocked = {os.path.basename(t.real): t for t in changing if t.real in taken or t.real not in candidates}
    names: dict[str, str] = {}
    diagnostics: list[Diagnostic] = []
    for real, task in candidates.items():
        culprit = blocked.get(os.path.basename(real))
        if culprit is None:
            names[real] = sources.renamed(real)
        elif real in taken:
            diagnostics.append(problems.name_taken(task.source, sources.renamed(task.source)))
        else:
            diagnostics.append(problems.namesake_keeps(task.source, culprit.source))
    return names, diagnostics


def _candidates(tasks: Iterable[Task], changing: Sequence[Task]) -> Iterable[Task]:
    """Yield translated files whose suffix changes, and links with such a suffix to translated files of any suffix."""
    yield from (task for task in changing if task.action is Action.TRANSLATE)
    links = [task for task in changing if task.action is Action.LINK]
    fresh = {task.real for task in tasks if task.action is Action.TRANSLATE} if links else set()
    yield from (task for task in links if os.path.realpath(task.real) in fresh)


def _is_taken(task: Task, occupied: set[str], on_disk: bool) -> bool:
    new = sources.renamed(task.written)
    return new in occupied or (on_disk and os.path.lexists(new))
