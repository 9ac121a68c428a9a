"""Decide, before anything is translated, what is done with each file and its new name."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from functools import cached_property

from msgspec import Struct, field
from msgspec.structs import replace

from hipport.buildfiles.build_systems import kind_of
from hipport.diagnostics import Diagnostic
from hipport.errors import UsageError
from hipport.files import sources
from hipport.mappings.loader import Tables
from hipport.project import problems
from hipport.project.ports import without_ports
from hipport.project.request import ConvertRequest, Mode
from hipport.project.roots import Root
from hipport.project.task import Action, Task
from hipport.project.walk import EntryKind, TreeEntry, walk
from hipport.support import is_support


class TreePlan(Struct, frozen=True, dict=True):
    """All tasks in order, and the folders to create, as (root, folder).

    `renamed` are the basenames that change, old to new; `kept` are those of `.cu` files that do not.
    """

    tasks: tuple[Task, ...]
    folders: tuple[tuple[str, str], ...]
    renamed: dict[str, str]
    kept: frozenset[str]
    diagnostics: tuple[Diagnostic, ...]

    @cached_property
    def sources(self) -> tuple[Task, ...]:
        """The tasks that translate a source; build files are no sources."""
        return tuple(task for task in self.tasks if task.action is Action.TRANSLATE and kind_of(task.source) is None)


class _Draft(Struct):
    read: sources.Read
    tasks: list[Task] = field(default_factory=list)
    folders: list[tuple[str, str]] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)


def make_plan(request: ConvertRequest, roots: Sequence[Root], tables: Tables) -> TreePlan:
    draft = _Draft(functools.cache(sources.read))  # three steps look into each source
    for root in roots:
        _add_root(draft, root, request)
    if any(root.is_tree for root in roots):
        from hipport.project.included import with_included
        from hipport.project.python_kernels import kernels_in_python

        draft.tasks, left_out = with_included(draft.tasks, draft.read)
        draft.diagnostics += left_out
        draft.diagnostics += kernels_in_python(draft.tasks, tables, draft.read)
    if not request.convert_ported:
        draft.tasks, ported = without_ports(draft.tasks, tables, draft.read)
        draft.diagnostics += ported
    fixed = request.keep_names or request.mode is Mode.STDOUT
    on_disk = request.mode is not Mode.OUTPUT and not request.rehearsal
    names, taken = ({}, []) if fixed else _new_names(draft.tasks, on_disk=on_disk)
    tasks = tuple(_named(task, names) for task in draft.tasks)
    if request.mode is Mode.OUTPUT:
        _refuse_overwriting(tasks)
    renamed = {os.path.basename(old): os.path.basename(new) for old, new in names.items()}
    kept = frozenset(os.path.basename(task.target) for task in tasks if task.target.endswith(".cu"))
    if request.rehearsal:
        tasks = tuple(replace(task, target=task.relative, link=task.link_was) for task in tasks)
    return TreePlan(tasks, tuple(draft.folders), renamed, kept, (*draft.diagnostics, *taken))


def _new_names(tasks: Sequence[Task], *, on_disk: bool) -> tuple[dict[str, str], list[Diagnostic]]:
    from hipport.project.file_names import choose_names

    return choose_names(tasks, on_disk=on_disk)


def _refuse_overwriting(tasks: Sequence[Task]) -> None:
    """Raise UsageError if an output folder around the input, such as `-o ..`, would have sources overwritten."""
    read = {task.real: task.source for task in tasks}
    roots = {root: os.path.realpath(root) for root in {task.root for task in tasks}}
    for task in tasks:
        source = read.get(os.path.join(roots[task.root], task.target))
        if source is not None:
            hint = "Give -o another folder, or use --in-place."
            raise UsageError(f"{task.source!r} would overwrite the source {source!r}", hint=hint)


def _named(task: Task, names: dict[str, str]) -> Task:
    """Return a task with the new name of its file, and of the file that its link points to."""
    link = _renamed(task, names) if task.action is Action.LINK else ""
    name = os.path.basename(names.get(task.real, task.target))
    return replace(task, target=os.path.join(os.path.dirname(task.target), name), link=link)


def _renamed(task: Task, names: dict[str, str]) -> str:
    """Return the text of a link after the files were renamed."""
    from hipport.project import links  # few trees have any

    return links.follow_rename(task.link, task.real, names)


def _add_root(draft: _Draft, root: Root, request: ConvertRequest) -> None:
    if not root.is_tree:
        _add_file(draft, root, request)
        return
    from hipport.project.included import included_among

    top = os.path.realpath(root.path)
    if root.prefix:
        draft.folders.append((root.folder, root.prefix))
    ignored: dict[str, TreeEntry] = {}
    start = len(draft.tasks)
    for found in walk(root.path, gitignore=request.gitignore, without=request.folder, show_ignored=True):
        if isinstance(found, Diagnostic):
            draft.diagnostics.append(found)
        elif found.kind is EntryKind.FOLDER:
            draft.folders.append((root.folder, root.prefix + found.relative))
        elif found.ignored:
            ignored[os.path.join(top, found.relative)] = found
        else:
            _add_entry(draft, root, found, top, request)
    for real in included_among(draft.tasks[start:], ignored, draft.read):
        _add_entry(draft, root, ignored[real], top, request)


def _add_file(draft: _Draft, root: Root, request: ConvertRequest) -> None:
    status = os.stat(root.path)
    entry = TreeEntry(root.path, os.path.basename(root.path), EntryKind.FILE, status.st_size, status.st_mode & 0o777)
    _add_entry(draft, root, entry, os.path.realpath(os.path.dirname(root.path) or "."), request)


def _add_entry(draft: _Draft, root: Root, entry: TreeEntry, top: str, request: ConvertRequest) -> None:
    real, target = os.path.join(top, entry.relative), root.prefix + entry.relative
    task = Task(entry.source, root.folder, target, target, real, Action.COPY, entry.size, entry.mode)
    try:
        planned = (
            _plan_link(task, top, moves=root.moves)
            if entry.kind is EntryKind.LINK
            else _plan_file(task, request, draft.read)
        )
    except OSError as error:
        planned = problems.unreadable(entry.source, error)
    if isinstance(planned, Task):
        draft.tasks.append(planned)
        return
    draft.diagnostics.append(planned)
    if planned.code in problems.TAKEN_OVER:
        draft.tasks.append(task)


def _plan_file(task: Task, request: ConvertRequest, read: sources.Read) -> Task | Diagnostic:
    """Plan to translate a source or build file, unless its size or content rules that out; raises OSError."""
    builds = kind_of(task.source) is not None
    wanted = request.build_files if builds else sources.is_source(task.source) and not is_support(task.real)
    if not wanted:
        return task
    if task.size > sources.LARGEST:
        return problems.too_large(task.source, task.size, sources.LARGEST)
    if sources.looks_binary(read(task.real)):
        return problems.binary(task.source)
    return replace(task, action=Action.TRANSLATE)


def _plan_link(task: Task, top: str, *, moves: bool) -> Task | Diagnostic:
    """Plan to keep a link; in a tree that moves, only if it points into the tree. Raises OSError."""
    from hipport.project import links

    text = os.readlink(task.source)
    inner = links.text_inside(text, task.real, top) if moves else text
    if inner is None:
        return problems.link_leaves_tree(task.source, text)
    return replace(task, action=Action.LINK, link=inner, link_was=text)
