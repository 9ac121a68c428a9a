"""Perform one run on an output tree: plan, translate what changed, write what differs, and store the state."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hipport.diagnostics import Diagnostic
from hipport.errors import UsageError
from hipport.files.hashes import Hasher, digest
from hipport.files.includes import Seen
from hipport.project.build_files import is_build_file, translate_build_files
from hipport.project.meanings import meanings_of
from hipport.project.output import Output
from hipport.project.plan import Plan, make_plan
from hipport.project.request import FileResult, FileVerdict, Policy, Report, Request, Verdict
from hipport.project.roots import Root
from hipport.project.state import memory as memories
from hipport.project.state import setup as setups
from hipport.project.state.folder import StateFolder
from hipport.project.state.manifest import Entry, Manifest
from hipport.project.state.memory import Memory, Record
from hipport.project.task import Action, Task
from hipport.project.translate import Converter, Outcome, Progress, Recall, translate
from hipport.project.tree.execute import after, execute
from hipport.project.tree.steps import Planner, Step
from hipport.project.tree.wanted import Wanted, read_inputs, wanted_files
from hipport.project.write import make_folders
from hipport.support import is_support
from hipport.translate.context import Context
from hipport.translate.meanings import Meanings

_LASTING = frozenset({"HP905"})
"""Codes of findings that the next run may not have again: their files are retried."""


@dataclass(frozen=True, slots=True)
class _Translated:
    """All results available before the output is examined."""

    plan: Plan
    inputs: Mapping[str, str]
    outcomes: Mapping[str, Outcome]
    unread: Mapping[str, Diagnostic]
    context: Context | None
    setup: dict[str, Any]
    key: str


def keeps_state(request: Request, roots: Iterable[Root]) -> bool:
    """Return whether a run keeps state: for trees, and for single files that go into a tree with state."""
    assert request.folder is not None
    return any(root.is_tree for root in roots) or StateFolder(request.folder).exists()


def run_on_tree(
    request: Request,
    roots: Sequence[Root],
    progress: Progress,
    convert: Converter,
    make_context: Callable[[dict[str, str]], Context],
) -> Report:
    """Bring the output folder of a request up to date. Raises UsageError, and HipportError if it is in use."""
    assert request.folder is not None
    folder = StateFolder(request.folder)
    plan = make_plan(request, roots)
    # Done before taking the lock, which creates the folder: the request may be invalid.
    context = make_context(plan.renamed) if _sources(plan) else None
    meanings = meanings_of(request, _sources(plan), context) if context else {}
    with contextlib.nullcontext() if request.dry else folder.locked():
        memory = memories.from_bytes(folder.memory())
        hasher = Hasher(memory.sightings)
        before = folder.manifest(hasher)
        done = _translate(request, plan, memory, hasher, progress, convert, context, meanings)
        alone = not any(root.is_tree for root in roots)
        wanted = wanted_files(plan.tasks, done.inputs, done.outcomes, support=request.support, alone=alone)
        leftovers = _leftovers(before, plan, wanted, roots, complete=not done.unread)
        _refuse_other_tree(request, before, leftovers)
        planner = Planner(request.folder, folder, hasher, request.policy)
        steps = list(planner.steps(before.entries, wanted, leftovers))
        failures = {} if request.dry else _carry_out(request.folder, folder, plan, steps, before, done, hasher)
        if not request.dry:
            _remember(folder, memory, done, wanted, hasher)
    return _report(request, done, wanted, steps, failures, known=bool(before.entries))


def _translate(
    request: Request,
    plan: Plan,
    memory: Memory,
    hasher: Hasher,
    progress: Progress,
    convert: Converter,
    context: Context | None,
    meanings: Mapping[str, Meanings],
) -> _Translated:
    inputs, unread = read_inputs(plan.tasks, hasher)
    if context is None:
        builds = translate_build_files(request, plan, {})
        return _Translated(plan, inputs, builds, unread, None, {}, "")
    setup = setups.describe(request, context)
    key = setups.key(setup)
    memory = memory if memory.key == key else Memory()
    recall = _recall(memory, inputs, plan.renamed, hasher)
    outcomes = translate(_sources(plan), context, convert, request.jobs, progress, recall, meanings)
    outcomes |= _build_files(request, plan, memory, inputs, outcomes, hasher)
    copied = {name: found for name, found in unread.items() if name not in outcomes}
    return _Translated(plan, inputs, outcomes, copied, context, setup, key)


def _sources(plan: Plan) -> list[Task]:
    return [task for task in plan.tasks if task.action is Action.TRANSLATE and not is_build_file(task)]


def _recall(memory: Memory, inputs: Mapping[str, str], renamed: Mapping[str, str], hasher: Hasher) -> Recall:
    """Return a function that recalls sources which are unchanged and whose translation is still as it was written."""

    def recall(task: Task) -> Outcome | None:
        record = memory.records.get(task.relative)
        if record is None or record.renamed != _followed(record.outcome.seen, renamed):
            return None
        return _recalled(task, record, inputs, hasher)

    return recall


def _recalled(task: Task, record: Record, inputs: Mapping[str, str], hasher: Hasher) -> Outcome | None:
    if inputs.get(task.source) != record.input or hasher.at(task.written) != record.output:
        return None
    return Outcome(
        diagnostics=tuple(replace(diagnostic, path=task.source) for diagnostic in record.outcome.diagnostics),
        seen=record.outcome.seen,
        support=record.outcome.support,
        foreign=record.outcome.foreign,
        digest=record.output,
        meant=record.outcome.meant,
    )


def _build_files(
    request: Request,
    plan: Plan,
    memory: Memory,
    inputs: Mapping[str, str],
    outcomes: Mapping[str, Outcome],
    hasher: Hasher,
) -> dict[str, Outcome]:
    """Return the outcomes of the build files; all are translated again if anything they could depend on has changed."""
    around = _around_builds(plan, inputs, outcomes)
    recalled: dict[str, Outcome] = {}
    for task in filter(is_build_file, plan.tasks):
        record = memory.records.get(task.relative)
        found = _recalled(task, record, inputs, hasher) if record is not None and record.renamed == around else None
        if found is None:
            return translate_build_files(request, plan, outcomes)
        recalled[task.source] = found
    return recalled


def _around_builds(plan: Plan, inputs: Mapping[str, str], outcomes: Mapping[str, Outcome]) -> dict[str, str]:
    """Return a digest of all that build files depend on, used in their records in place of the renames."""
    builds = sorted((task.relative, inputs.get(task.source)) for task in plan.tasks if is_build_file(task))
    targets = sorted(task.target for task in plan.tasks if task.target.endswith(".cu"))
    supported = any(outcome.support for outcome in outcomes.values())
    return {"": digest(repr((builds, targets, sorted(plan.renamed.items()), supported)).encode())}


def _followed(seen: Seen, renamed: Mapping[str, str]) -> dict[str, str]:
    """Return the renames that a file's includes follow."""
    names = {os.path.basename(operand) for operand in seen.includes}
    return {name: renamed[name] for name in sorted(names & renamed.keys())}


def _leftovers(
    before: Manifest, plan: Plan, wanted: Mapping[str, Wanted], roots: Sequence[Root], *, complete: bool
) -> dict[str, Entry]:
    """Return the entries whose source is gone from the trees of this run; none if a part of these could not be read."""
    if not complete or any(found.code == "HP901" for found in plan.diagnostics):
        return {}
    planned = {task.target for task in plan.tasks}
    trees = tuple(root.prefix for root in roots if root.is_tree)
    return {
        target: entry
        for target, entry in before.entries.items()
        if target not in planned and target not in wanted and not entry.alone
        if trees and (target.startswith(trees) or is_support(target))
    }  # fmt: skip


def _refuse_other_tree(request: Request, before: Manifest, leftovers: Mapping[str, Entry]) -> None:
    """Raise UsageError before all files of one tree are removed because another tree, or an empty folder, was named."""
    known = {target for target, entry in before.entries.items() if not entry.alone and not is_support(target)}
    if request.policy is not Policy.FORCE and known and known <= leftovers.keys():
        raise UsageError(
            f"{request.folder!r} contains the translation of another tree: none of its files is in "
            f"{request.paths[0]!r}",
            hint="Use another folder for the new tree; --force replaces the content.",
        )


def _carry_out(
    tree: str,
    folder: StateFolder,
    plan: Plan,
    steps: Sequence[Step],
    before: Manifest,
    done: _Translated,
    hasher: Hasher,
) -> dict[str, Diagnostic]:
    """Write the journal, the files and the manifest; return the failures."""
    entries = dict(before.entries)
    for step in steps:
        for name in (step.target, step.moved_from):
            entries.pop(name, None)
    entries |= {step.target: step.after for step in steps if step.after is not None}
    planned = Manifest(done.setup or before.setup, entries)
    if folder.interrupted():
        Output(tree).sweep()
    writes = {step.target: step.result for step in steps if step.verdict is Verdict.WRITE or step.merged is not None}
    if writes:
        folder.announce(planned, writes)
    removals = [step for step in steps if step.verdict is Verdict.REMOVE]
    failures = execute(removals, tree, folder, hasher) | make_folders(plan.folders)
    failures |= execute([step for step in steps if step.verdict is not Verdict.REMOVE], tree, folder, hasher)
    settled = after(steps, failures, planned)
    if settled != before or folder.interrupted():
        folder.settle(settled)
    return failures


def _remember(
    folder: StateFolder, memory: Memory, done: _Translated, wanted: Mapping[str, Wanted], hasher: Hasher
) -> None:
    """Store the results of the run if they are new."""
    recalled = all(outcome.digest for outcome in done.outcomes.values())
    if recalled and len(done.outcomes) == len(memory.records) and hasher.seen == memory.sightings:
        return
    around = _around_builds(done.plan, done.inputs, done.outcomes)
    records = {}
    for item in wanted.values():
        outcome = done.outcomes.get(item.task.source)
        if outcome is not None and not any(found.code in _LASTING for found in outcome.diagnostics):
            followed = around if is_build_file(item.task) else _followed(outcome.seen, done.plan.renamed)
            kept = replace(outcome, data=None, digest="")
            records[item.task.relative] = Record(item.entry.input, item.entry.output, followed, kept)
    folder.remember(memories.to_bytes(Memory(done.key, records, hasher.seen)))


def _report(
    request: Request,
    done: _Translated,
    wanted: Mapping[str, Wanted],
    steps: Sequence[Step],
    failures: Mapping[str, Diagnostic],
    *,
    known: bool,
) -> Report:
    files = tuple(_result(task, wanted.get(task.target), failures) for task in done.plan.tasks)
    found = [diagnostic for outcome in done.outcomes.values() for diagnostic in outcome.diagnostics]
    found += [*done.plan.diagnostics, *done.unread.values(), *failures.values()]
    found += [step.problem for step in steps if step.problem is not None]
    ordered = sorted(found, key=lambda one: (os.fsencode(one.path), one.line, one.column))
    assert request.folder is not None
    verdicts = tuple(
        FileVerdict(os.path.join(request.folder, step.target), step.verdict)
        for step in sorted(steps, key=lambda step: os.fsencode(step.target))
    )
    support = (request.folder,) if any(is_support(target) for target in wanted) else ()
    releases = done.context.tables.releases if done.context is not None else None
    return Report(request.mode, files, tuple(ordered), releases, support, verdicts if known or request.dry else None)


def _result(task: Task, wanted: Wanted | None, failures: Mapping[str, Diagnostic]) -> FileResult:
    failed = wanted is None or task.target in failures
    changed = wanted is not None and (wanted.entry.input != wanted.entry.output or task.target != task.relative)
    return FileResult(task.source, task.written, task.action, changed, failed)
