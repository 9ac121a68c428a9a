"""Find files that sources include although their names are not those of sources: `list.def`, `kernels.hu`, `impl`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from hipport.buildfiles.build_systems import kind_of
from hipport.files import sources
from hipport.files.include_lines import OPERAND, include_lines
from hipport.files.includes import by_name, resolve_include
from hipport.project.task import Action, Task
from hipport.support import is_support

_NAMED = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+\w+[ \t]+" + OPERAND + rb"[ \t]*(?://.*|/\*.*)?\r?$", re.MULTILINE)
"""Matches a macro that stands for the operand of an `#include`."""
_TEMPLATE = ".in"
"""Suffix of files from which a build makes the file that is included (`configure_file` of CMake)."""


def with_included(tasks: Sequence[Task]) -> list[Task]:
    """Return the tasks, with files to translate that sources include, at any depth, whatever they are called.

    What would be copied and is text of a source's size is looked for by the names in `#include` lines.
    """
    copied = {task.real: task for task in tasks if _may_be_source(task)}
    found: dict[str, Task] = {}
    waiting = [task for task in tasks if task.action is Action.TRANSLATE and kind_of(task.source) is None]
    named = by_name(copied) if copied else {}
    while waiting and named:
        fresh = {real for task in waiting for real in _included(task, named)} - found.keys()
        added = {real: copied[real] for real in fresh if _is_text(copied[real])}
        found |= added
        waiting = list(added.values())
    return [replace(task, action=Action.TRANSLATE) if task.real in found else task for task in tasks]


def _may_be_source(task: Task) -> bool:
    """Return whether a file may be included: no build file, none of hipport's own, and not too large."""
    is_copied = task.action is Action.COPY and task.size <= sources.LARGEST
    return is_copied and kind_of(task.source) is None and not is_support(task.real)


def _is_text(task: Task) -> bool:
    try:
        return not sources.looks_binary(task.source)
    except OSError:
        return False


def _included(task: Task, named: Mapping[str, list[str]]) -> Iterator[str]:
    """Yield the files among `named` that a source includes, or from which a build makes what it includes."""
    try:
        data = sources.read(task.source)
    except OSError:
        return
    for operand in {*_operands(data)}:
        if os.path.basename(operand) in named and (found := resolve_include(operand, task.real, named)):
            yield found
        elif os.path.basename(operand) + _TEMPLATE in named:
            found = resolve_include(operand + _TEMPLATE, task.real, named)
            if found:
                yield found


def _operands(data: bytes) -> Iterable[str]:
    yield from (line.operand for line in include_lines(data))
    if b"define" in data:
        texts = (match[1] if match[1] is not None else match[2] for match in _NAMED.finditer(data))
        yield from (text.decode("utf-8", "surrogateescape") for text in texts)
