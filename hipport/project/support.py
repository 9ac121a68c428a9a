"""Write hipport's own headers, if translations include them, into the output, so that a port builds without hipport."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from hipport.project import problems
from hipport.project.content import Bytes
from hipport.project.output import Output
from hipport.project.task import Task
from hipport.project.translate import Outcome
from hipport.project.write import Failures
from hipport.support import closure


def write_support(tasks: Iterable[Task], outcomes: Mapping[str, Outcome]) -> tuple[tuple[str, ...], Failures]:
    """Write the headers that translations include; return the folders to pass with `-I`, and the failures."""
    wanted: dict[str, set[str]] = {}
    for task in tasks:
        headers = outcomes[task.source].support if task.source in outcomes else ()
        if headers:
            wanted.setdefault(task.root, set()).update(headers)
    failures: Failures = {}
    for root, needed in wanted.items():
        failures |= _write(root, needed)
    return tuple(wanted), failures


def _write(root: str, headers: Iterable[str]) -> Failures:
    failures: Failures = {}
    for header, data in closure(headers).items():
        path = os.path.join(root, header)
        try:
            Output(root).write(header, Bytes(data), 0o644)
        except OSError as error:
            failures[path] = problems.unwritable(path, path, error)
    return failures
