"""Has libclang asked about the sources of a run, if the user wants that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hipport.context import Context
from hipport.project.request import Request
from hipport.project.task import Task
from hipport.semantic.model import Meanings


def meanings_of(request: Request, tasks: Sequence[Task], context: Context) -> Mapping[str, Meanings]:
    """What the names in the sources refer to, by `Task.source`; nothing unless the request says that it matters."""
    if request.semantic is None:
        return {}
    from hipport.semantic.run import find_meanings

    return find_meanings(request.semantic, tasks, context.tables, request.jobs)
