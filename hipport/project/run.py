"""Perform one run of `hipport convert`, `check` or `update`: find roots, plan, translate, hand over to a sink."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence

from hipport.counts import count_of
from hipport.errors import UsageError
from hipport.files import sources
from hipport.mappings.choice import ANY, NameChoice
from hipport.mappings.loader import Tables, load_choice
from hipport.project.build_files import BuildConverter, builds_extension, is_build_file, translate_build_files
from hipport.project.plan import TreePlan, make_plan
from hipport.project.request import ConvertRequest, FileResult, Mode, Report
from hipport.project.resolver import TreeResolver
from hipport.project.roots import Root, find_roots
from hipport.project.sinks import Copy, Diff, InPlace, Sink, Stdout, in_order
from hipport.project.task import Action, Task
from hipport.project.translate import (
    Converter,
    Outcome,
    Progress,
    Source,
    TreeTranslator,
    translate_bytes,
    translate_tree,
)
from hipport.translate.context import Context, Options
from hipport.translate.convert import convert_source
from hipport.translate.meanings import Meanings

_SINKS = {
    Mode.CHECK: Sink,
    Mode.DIFF: Diff,
    Mode.STDOUT: Stdout,
    Mode.IN_PLACE: InPlace,
    Mode.OUTPUT: Copy,
}

FindMeanings = Callable[[ConvertRequest, Sequence[Task], Context], Mapping[str, Meanings]]
"""Returns what the names in sources refer to, by `Task.source`: `hipport.semantic.project.meanings_of`."""


def run(
    request: ConvertRequest,
    progress: Progress,
    convert: Converter = convert_source,
    convert_build: BuildConverter | None = None,
    find_meanings: FindMeanings | None = None,
) -> Report:
    """Carry out a request; raises UsageError for an invalid one. Files that fail are in the report.

    `find_meanings` is called if the request asks for it.
    """
    roots = find_roots(request)
    tables = load_choice(request.names)
    plan = make_plan(request, roots, tables)
    _check_sources(request, plan, roots)
    context = _context(request, plan, tables) if plan.sources else None
    meanings: Mapping[str, Meanings] = {}
    if context is not None and request.semantic is not None:
        assert find_meanings is not None, "the caller passes what it asks for"
        meanings = find_meanings(request, plan.sources, context)
    with _opened_sink(request, plan, context, roots) as sink:
        outcomes: dict[str, Outcome] = {}
        if context is not None:
            translator = TreeTranslator(convert, context, request.jobs, progress, _recall(plan, sink), meanings)
            outcomes = translate_tree(list(map(_source, plan.sources)), TreeResolver(context), translator)
        builds = sink.recall_build_files(outcomes)
        outcomes |= translate_build_files(request, plan, outcomes, convert_build) if builds is None else builds
        return sink.take(outcomes)


def run_on_bytes(
    data: bytes, name: str, options: Options, names: NameChoice = ANY, convert: Converter = convert_source
) -> Report:
    """Translate text that is not in a file; raises UsageError above the size limit for files."""
    if len(data) > sources.LARGEST:
        limit = f"more than the limit of {sources.LARGEST >> 20} MiB"
        raise UsageError(f"{name}: not translated: {limit}", hint="Move the data out of the source, or split it.")
    context = Context(load_choice(names), options)
    outcome = translate_bytes(data, name, context, convert).among(frozenset(), context.tables)
    after = data if outcome.data is None else outcome.data
    file = FileResult(name, name, Action.TRANSLATE, after != data, before=data, after=after)
    return Report(Mode.STDOUT, (file,), in_order(outcome.findings), context.tables.releases)


@contextlib.contextmanager
def _opened_sink(
    request: ConvertRequest, plan: TreePlan, context: Context | None, roots: Sequence[Root]
) -> Iterator[Sink]:
    """Open the sink that a request asks for. Raises HipportError if its folder is in use."""
    if request.mode is Mode.OUTPUT:
        from hipport.project.tree.sink import keeps_state, opened_tree

        if keeps_state(request, roots):
            with opened_tree(request, plan, context, roots) as tree:
                yield tree
            return
    yield _SINKS[request.mode](request, plan, context)


def _check_sources(request: ConvertRequest, plan: TreePlan, roots: Sequence[Root]) -> None:
    """Raise UsageError for `--stdout`, `hipport check` and `hipport port` where nothing would be translated.

    Sources that are HIP already pass a check.
    """
    if plan.sources or any(map(is_build_file, plan.tasks)) or plan.diagnostics:
        return
    hint = f"Names of sources end in {', '.join(sorted(sources.SUFFIXES))}."
    ported = sum(task.ported for task in plan.tasks)
    if request.mode is Mode.STDOUT and ported:
        hint = "To translate it all the same, use --convert-ported."
        raise UsageError(f"{request.paths[0]!r} is HIP already", hint=hint)
    if request.mode is Mode.STDOUT:
        raise UsageError(f"{request.paths[0]!r} is not a CUDA source", hint=hint)
    if ported and request.rehearsal:
        return
    if request.rehearsal or request.whole_project:
        paths, verb = ", ".join(map(repr, request.paths)), "check" if request.rehearsal else "port"
        if ported:
            raise UsageError(f"there is nothing to port in {paths}: {count_of(ported, 'source')} left, HIP already")
        lacking = f"no source, no header, no build file{_of_python(plan, roots)}"
        raise UsageError(f"there is nothing to {verb} in {paths}: {lacking}", hint=hint)


def _of_python(plan: TreePlan, roots: Sequence[Root]) -> str:
    """Return that there was nothing in the Python files of the trees, which were read, too; "" if there are none."""
    from hipport.project.python_kernels import is_python

    count = sum(map(is_python, plan.tasks)) if any(root.is_tree for root in roots) else 0
    return f", no kernel in the strings of {count_of(count, 'Python file')}" if count else ""


def _context(request: ConvertRequest, plan: TreePlan, tables: Tables) -> Context:
    return Context(
        tables,
        request.options,
        renamed=plan.renamed,
        keep_names=request.keep_names,
        rehearsal=request.rehearsal,
        extension=any(map(builds_extension, plan.tasks)),
    )


def _source(task: Task) -> Source:
    return Source(task.source, task.real, task.size)


def _recall(plan: TreePlan, sink: Sink) -> Callable[[Source], Outcome | None]:
    tasks = {task.source: task for task in plan.sources}
    return lambda source: sink.recall(tasks[source.path])
