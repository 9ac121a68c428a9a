"""Perform one run of `hipport convert`: find roots, plan, translate, write, report."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Mapping

from hipport.diagnostics import Diagnostic
from hipport.errors import UsageError
from hipport.files import sources
from hipport.mappings.choice import ANY, NameChoice
from hipport.mappings.loader import load_choice
from hipport.project.build_files import BuildConverter, is_build_file, translate_build_files
from hipport.project.meanings import meanings_of
from hipport.project.plan import Plan, make_plan
from hipport.project.request import FileResult, Mode, Report, Request
from hipport.project.roots import find_roots
from hipport.project.support import write_support
from hipport.project.task import Action, Task
from hipport.project.translate import Converter, Outcome, Progress, translate, translate_bytes
from hipport.project.write import Failures, is_changed, write_copy, write_in_place
from hipport.translate.context import Context, Options
from hipport.translate.convert import convert_source


def run(
    request: Request, progress: Progress, convert: Converter | None = None, convert_build: BuildConverter | None = None
) -> Report:
    """Carry out a request; raises UsageError for an invalid one. Files that fail are in the report."""
    roots = find_roots(request)
    if request.mode is Mode.OUTPUT:
        from hipport.project.tree.run import keeps_state, run_on_tree

        if keeps_state(request, roots):
            return run_on_tree(
                request, roots, progress, convert or convert_source, functools.partial(_context, request)
            )
    plan = make_plan(request, roots)
    pending = [task for task in plan.tasks if task.action is Action.TRANSLATE and not is_build_file(task)]
    builds = [task for task in plan.tasks if is_build_file(task)]
    if request.mode is Mode.STDOUT and not (pending or builds or plan.diagnostics):
        raise UsageError(f"{request.paths[0]!r} is not a CUDA source", hint=f"Names of sources end in {_suffixes()}.")
    outcomes: dict[str, Outcome] = {}
    releases = None
    if pending:
        context = _context(request, plan.renamed)
        releases = context.tables.releases
        outcomes = translate(
            pending,
            context,
            convert or convert_source,
            request.jobs,
            progress,
            meanings=meanings_of(request, pending, context),
        )
    outcomes |= translate_build_files(request, plan, outcomes, convert_build)
    failures = _write(request.mode, plan, outcomes)
    support_dirs, lacking = _write_support(request, pending, outcomes)
    files = tuple(_result(task, outcomes.get(task.source, Outcome()), failures, request.mode) for task in plan.tasks)
    found = [diagnostic for task in (*pending, *builds) for diagnostic in outcomes[task.source].diagnostics]
    diagnostics = _in_order([*plan.diagnostics, *found, *failures.values(), *lacking.values()])
    return Report(request.mode, files, diagnostics, releases, support_dirs)


def run_on_bytes(
    data: bytes, name: str, options: Options, names: NameChoice = ANY, convert: Converter | None = None
) -> Report:
    """Translate text that is not in a file; raises UsageError above the size limit for files."""
    if len(data) > sources.LARGEST:
        limit = f"more than the limit of {sources.LARGEST >> 20} MiB"
        raise UsageError(f"{name}: not translated: {limit}", hint="Move the data out of the source, or split it.")
    context = Context(load_choice(names), options)
    outcome = translate_bytes(data, name, context, convert or convert_source)
    after = data if outcome.data is None else outcome.data
    file = FileResult(name, name, Action.TRANSLATE, after != data, before=data, after=after)
    return Report(Mode.STDOUT, (file,), _in_order(outcome.diagnostics), context.tables.releases)


def _suffixes() -> str:
    return ", ".join(sorted(sources.SUFFIXES))


def _context(request: Request, renamed: dict[str, str]) -> Context:
    return Context(
        load_choice(request.names),
        request.options,
        renamed=renamed,
        keep_names=request.keep_names,
        rehearsal=request.rehearsal,
    )


def _in_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(sorted(diagnostics, key=lambda found: (os.fsencode(found.path), found.line, found.column)))


def _write(mode: Mode, plan: Plan, outcomes: Mapping[str, Outcome]) -> Failures:
    if mode is Mode.OUTPUT:
        return write_copy(plan, outcomes)
    return write_in_place(plan, outcomes) if mode is Mode.IN_PLACE else {}


def _write_support(
    request: Request, tasks: Iterable[Task], outcomes: Mapping[str, Outcome]
) -> tuple[tuple[str, ...], Failures]:
    if not request.support or request.mode not in (Mode.OUTPUT, Mode.IN_PLACE):
        return (), {}
    return write_support(tasks, outcomes)


def _result(task: Task, outcome: Outcome, failures: Failures, mode: Mode) -> FileResult:
    changed = is_changed(task, outcome)
    failed = outcome.failed or task.source in failures
    before = after = b""
    if not outcome.failed and (mode is Mode.STDOUT or (mode is Mode.DIFF and changed)):
        before, after = _contents(task, outcome)
    return FileResult(task.source, task.written, task.action, changed, failed, before, after)


def _contents(task: Task, outcome: Outcome) -> tuple[bytes, bytes]:
    if task.action is Action.LINK:
        return os.fsencode(task.link_was), os.fsencode(task.link)
    before = sources.read(task.source)
    return before, before if outcome.data is None else outcome.data
