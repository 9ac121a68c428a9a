"""Find files that sources include although their names are not those of sources: `list.def`, `kernels.hu`, `impl`."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec.structs import replace

from hipport import lazy_re as re
from hipport.buildfiles.build_systems import kind_of
from hipport.diagnostics import Diagnostic
from hipport.files import sources
from hipport.files.include_lines import OPERAND, IncludeLine, include_lines, operand_of
from hipport.files.includes import by_name, resolve_include
from hipport.files.sources import Read
from hipport.project import problems
from hipport.project.task import Action, Task
from hipport.source import SourceFile
from hipport.support import is_support

_NAMED = re.compile(rb"\n[ \t]*#[ \t]*define[ \t]+\w+[ \t]+" + OPERAND + rb"[ \t]*(?://.*|/\*.*)?\r?(?=\n|\Z)")
"""Matches a macro that stands for the operand of an `#include`."""
_TEMPLATES = (".in", ".cmake", ".cmake.in", ".cmakein", ".template", ".tmpl")
"""Suffixes of files from which a build makes the file that is included (`configure_file` of CMake)."""


def with_included(tasks: Sequence[Task], read: Read) -> tuple[list[Task], list[Diagnostic]]:
    """Return the tasks, with files to translate that sources include, at any depth, whatever they are called.

    What would be copied and is text of a source's size is looked for by the names in `#include` lines. The diagnostics
    are about included files with CUDA that are not among the tasks.
    """
    copied = {task.real: task for task in tasks if _may_be_source(task)}
    found: dict[str, Task] = {}
    diagnostics: list[Diagnostic] = []
    waiting = [task for task in tasks if task.action is Action.TRANSLATE and kind_of(task.source) is None]
    named, known = by_name(copied), by_name(task.real for task in tasks)
    while waiting:
        lines = [(task, line) for task in waiting for line in _lines_of(task.real, read)]
        fresh = {real for task, line in lines for real in _resolved(line.operand, task, named)} - found.keys()
        diagnostics += [_left_out(*each) for each in lines if _is_left_out(*each, known)]
        added = {real: copied[real] for real in fresh if _is_text(real, read)}
        found |= added
        waiting = list(added.values())
    return [replace(task, action=Action.TRANSLATE) if task.real in found else task for task in tasks], diagnostics


def included_among(tasks: Sequence[Task], ignored: Collection[str], read: Read) -> list[str]:
    """Return those of the files that git ignores which sources include, at any depth, in order.

    git keeps a file that is committed although a pattern such as `tmp.*` names it.
    """
    candidates, known = by_name(filter(sources.is_source, ignored)), by_name(task.real for task in tasks)
    if not candidates:
        return []
    found: set[str] = set()
    waiting = [task.real for task in tasks if task.action is Action.TRANSLATE and kind_of(task.source) is None]
    while waiting:
        operands = [(line.operand, path) for path in waiting for line in _lines_of(path, read)]
        asked = [each for each in operands if os.path.basename(each[0]) in candidates]
        lacking = [each for each in asked if resolve_include(*each, known) is None]
        fresh = {real for each in lacking if (real := resolve_include(*each, candidates)) is not None} - found
        found |= fresh
        waiting = sorted(fresh)
    return sorted(found)


_OTHER_LANGUAGES = (".cl", ".metal", ".glsl", ".vert", ".frag", ".comp", ".hlsl", ".ptx", ".ll", ".s", ".asm", ".py")
"""Suffixes of what is included as text, in string literals."""


def _may_be_source(task: Task) -> bool:
    """Return whether a file may be included as C++: no build file, none of hipport's own, and not too large."""
    is_copied = task.action is Action.COPY and task.size <= sources.LARGEST
    if task.real.lower().endswith(_OTHER_LANGUAGES):
        return False
    return is_copied and kind_of(task.source) is None and not is_support(task.real)


def _is_text(path: str, read: Read) -> bool:
    try:
        return not sources.looks_binary(read(path))
    except OSError:
        return False


def _lines_of(path: str, read: Read) -> Iterator[IncludeLine]:
    """Yield the `#include` lines of a source, and macros that stand for an operand."""
    try:
        data = read(path)
    except OSError:
        return
    yield from include_lines(data)
    if b"define" in data:
        yield from (operand_of(match) for match in _NAMED.finditer(b"\n" + data))


def _resolved(operand: str, task: Task, named: Mapping[str, list[str]]) -> Iterator[str]:
    """Yield the file that an operand means, or the one from which a build makes it."""
    for name in (operand, *(operand + suffix for suffix in _TEMPLATES)):
        found = resolve_include(name, task.real, named) if name.rpartition("/")[2] in named else None
        if found is not None:
            yield found
            return


_CUDA = re.compile(rb"\bcuda[A-Z_]\w+|\bcu(?:blas|fft|rand|sparse|solver|dnn)[A-Z_]\w+|<<<|\bCU_?[A-Z]+_\w+")


def _is_left_out(task: Task, line: IncludeLine, known: Mapping[str, list[str]]) -> bool:
    """Return whether a quoted operand is the path of a file with CUDA in it that is not part of the run."""
    if not line.quoted or resolve_include(line.operand, task.real, known):
        return False
    path = os.path.join(os.path.dirname(task.real), line.operand)
    if not os.path.isfile(path):
        return False
    try:
        is_small = os.path.getsize(path) <= sources.LARGEST
        return is_small and not is_support(path) and _CUDA.search(sources.read(path)) is not None
    except OSError:
        return False


def _left_out(task: Task, line: IncludeLine) -> Diagnostic:
    try:
        source = SourceFile.decode(sources.read(task.source), task.source)
        place = source.position(line.span.start)
    except OSError:
        place = (1, 1)
    return problems.not_part_of_run(task.source, place, line.operand)
