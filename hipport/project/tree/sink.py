"""The sink that keeps an output tree up to date: it writes what differs, merges edits, and stores the state."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from hipport.diagnostics import Diagnostic
from hipport.errors import UsageError
from hipport.files.hashes import Hasher, digest
from hipport.files.includes import Seen
from hipport.project.build_files import is_build_file
from hipport.project.output import Output
from hipport.project.plan import TreePlan
from hipport.project.request import ConvertRequest, FileResult, FileVerdict, Policy, Report, Verdict
from hipport.project.roots import Root
from hipport.project.sinks import Sink, in_order
from hipport.project.state import memory as memories
from hipport.project.state import setup as setups
from hipport.project.state.folder import StateFolder
from hipport.project.state.manifest import Manifest, ManifestEntry
from hipport.project.state.memory import Memory, Record
from hipport.project.task import Task
from hipport.project.translate import Outcome
from hipport.project.tree.execute import after, execute
from hipport.project.tree.steps import FileStep, Planner
from hipport.project.tree.wanted import Wanted, read_inputs, wanted_files
from hipport.project.write import make_folders
from hipport.support import is_support
from hipport.translate.context import Context

_LASTING = frozenset({"HP905"})
"""Codes of findings that the next run may not have again: their files are retried."""


def keeps_state(request: ConvertRequest, roots: Iterable[Root]) -> bool:
    """Return whether a run keeps state: for trees, and for single files that go into a tree with state."""
    assert request.folder is not None
    return any(root.is_tree for root in roots) or StateFolder(request.folder).exists()


@contextlib.contextmanager
def opened_tree(
    request: ConvertRequest, plan: TreePlan, context: Context | None, roots: Sequence[Root]
) -> Iterator[TreeSink]:
    """Lock the output folder of a request, and read its state. Raises HipportError if it is in use."""
    assert request.folder is not None
    folder = StateFolder(request.folder)
    with contextlib.nullcontext() if request.dry else folder.locked():
        memory = memories.from_bytes(folder.memory())
        hasher = Hasher(memory.sightings)
        before = folder.manifest(hasher)
        inputs, unread = read_inputs(plan.tasks, hasher)
        setup = setups.describe(request, context) if context is not None else {}
        yield TreeSink(request, plan, context, tuple(roots), folder, memory, hasher, before, inputs, unread, setup)


class TreeSink(Sink, frozen=True, dict=True):
    """An output tree with state.

    `before` is its manifest, `inputs` are the digests of the sources by `Task.source`, `unread` the failures to read
    one. `setup` is what all translations depend on besides the files, empty if there are no sources.
    """

    roots: tuple[Root, ...]
    folder: StateFolder
    memory: Memory
    hasher: Hasher
    before: Manifest
    inputs: Mapping[str, str]
    unread: Mapping[str, Diagnostic]
    setup: dict[str, Any]

    @functools.cached_property
    def key(self) -> str:
        """The key under which results are stored; empty if there are no sources."""
        return setups.key(self.setup) if self.setup else ""

    @property
    def records(self) -> Mapping[str, Record]:
        """The results of earlier runs that still hold for unchanged files."""
        return self.memory.records if self.setup and self.memory.key == self.key else {}

    def recall(self, task: Task) -> Outcome | None:
        """Recall a source that is unchanged and whose translation is still as it was written."""
        record = self.records.get(task.relative)
        if record is None or record.renamed != _followed(record.outcome.seen, self.plan.renamed):
            return None
        return _recalled(task, record, self.inputs, self.hasher)

    def recall_build_files(self, outcomes: Mapping[str, Outcome]) -> dict[str, Outcome] | None:
        """Recall all build files, or none if anything that they could depend on has changed."""
        around = _around_builds(self.plan, self.inputs, outcomes)
        found: dict[str, Outcome] = {}
        for task in filter(is_build_file, self.plan.tasks):
            record = self.records.get(task.relative)
            known = record is not None and record.renamed == around
            outcome = _recalled(task, record, self.inputs, self.hasher) if record is not None and known else None
            if outcome is None:
                return None
            found[task.source] = outcome
        return found

    def take(self, outcomes: Mapping[str, Outcome]) -> Report:
        """Bring the output tree up to date; raises UsageError if it is the translation of another tree."""
        request, plan = self.request, self.plan
        assert request.folder is not None
        unread = {name: found for name, found in self.unread.items() if name not in outcomes}
        alone = not any(root.is_tree for root in self.roots)
        wanted = wanted_files(plan.tasks, self.inputs, outcomes, support=request.support, alone=alone)
        leftovers = _leftovers(self.before, plan, wanted, self.roots, complete=not unread)
        _refuse_other_tree(request, self.before, leftovers)
        steps = list(
            Planner(request.folder, self.folder, self.hasher, request.policy, request.accepted).steps(
                self.before.entries, wanted, leftovers
            )
        )
        _refuse_strangers(request, steps)
        failures: Mapping[str, Diagnostic] = {}
        if not request.dry:
            failures = self._carry_out(request.folder, steps)
            self._remember(outcomes, wanted)
        found = [diagnostic for outcome in outcomes.values() for diagnostic in outcome.findings]
        found += [*plan.diagnostics, *unread.values(), *failures.values()]
        found += [step.problem for step in steps if step.problem is not None]
        return self._report(found, wanted, steps, failures)

    def _carry_out(self, tree: str, steps: Sequence[FileStep]) -> dict[str, Diagnostic]:
        """Write the journal, the files and the manifest; return the failures."""
        folder, before = self.folder, self.before
        entries = dict(before.entries)
        for step in steps:
            for name in (step.target, step.moved_from):
                entries.pop(name, None)
        entries |= {step.target: step.after for step in steps if step.after is not None}
        planned = Manifest(self.setup or before.setup, entries)
        if folder.interrupted():
            Output(tree).sweep()
        writes = {
            each.target: each.result for each in steps if each.verdict is Verdict.WRITE or each.merged is not None
        }
        if writes:
            folder.announce(planned, writes)
        removals = [step for step in steps if step.verdict is Verdict.REMOVE]
        failures = execute(removals, tree, folder, self.hasher) | make_folders(self.plan.folders)
        others = [step for step in steps if step.verdict is not Verdict.REMOVE]
        failures |= execute(others, tree, folder, self.hasher)
        settled = after(steps, failures, planned)
        if settled != before or folder.interrupted():
            folder.settle(settled)
        return failures

    def _remember(self, outcomes: Mapping[str, Outcome], wanted: Mapping[str, Wanted]) -> None:
        """Store the results of the run if they are new."""
        recalled = all(outcome.digest for outcome in outcomes.values())
        if recalled and len(outcomes) == len(self.memory.records) and self.hasher.seen == self.memory.sightings:
            return
        around = _around_builds(self.plan, self.inputs, outcomes)
        records = {}
        for item in wanted.values():
            outcome = outcomes.get(item.task.source)
            if outcome is not None and not any(found.code in _LASTING for found in outcome.diagnostics):
                followed = around if is_build_file(item.task) else _followed(outcome.seen, self.plan.renamed)
                stored = replace(outcome, data=None, digest="")
                records[item.task.relative] = Record(item.entry.input, item.entry.output, followed, stored)
        self.folder.remember(memories.to_bytes(Memory(self.key, records, self.hasher.seen)))

    def _report(
        self,
        found: Iterable[Diagnostic],
        wanted: Mapping[str, Wanted],
        steps: Sequence[FileStep],
        failures: Mapping[str, Diagnostic],
    ) -> Report:
        request = self.request
        assert request.folder is not None
        files = tuple(_result(task, wanted.get(task.target), failures) for task in self.plan.tasks)
        verdicts = tuple(
            FileVerdict(os.path.join(request.folder, step.target), step.verdict)
            for step in sorted(steps, key=lambda step: os.fsencode(step.target))
        )
        support = (request.folder,) if any(is_support(target) for target in wanted) else ()
        known = bool(self.before.entries) or request.dry
        return Report(request.mode, files, in_order(found), self.releases, support, verdicts if known else None)


def _recalled(task: Task, record: Record, inputs: Mapping[str, str], hasher: Hasher) -> Outcome | None:
    if inputs.get(task.source) != record.input or hasher.at(task.written) != record.output:
        return None
    return Outcome(
        diagnostics=tuple(replace(diagnostic, path=task.source) for diagnostic in record.outcome.diagnostics),
        unknown=tuple((name, replace(found, path=task.source)) for name, found in record.outcome.unknown),
        seen=record.outcome.seen,
        support=record.outcome.support,
        foreign=record.outcome.foreign,
        digest=record.output,
        meant=record.outcome.meant,
    )


def _around_builds(plan: TreePlan, inputs: Mapping[str, str], outcomes: Mapping[str, Outcome]) -> dict[str, str]:
    """Return a digest of all that build files depend on, used in their records in place of the renames."""
    builds = sorted((task.relative, inputs.get(task.source)) for task in plan.tasks if is_build_file(task))
    targets = sorted(task.target for task in plan.tasks if task.target.endswith(".cu"))
    supported = any(outcome.support for outcome in outcomes.values())
    return {"": digest(repr((builds, targets, sorted(plan.renamed.items()), supported)).encode())}


def _followed(seen: Seen, renamed: Mapping[str, str]) -> dict[str, str]:
    """Return the renames that a file's includes and findings follow."""
    names = {os.path.basename(operand) for operand in (*seen.includes, *seen.reads)}
    return {name: renamed[name] for name in sorted(names & renamed.keys())}


def _leftovers(
    before: Manifest, plan: TreePlan, wanted: Mapping[str, Wanted], roots: Sequence[Root], *, complete: bool
) -> dict[str, ManifestEntry]:
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


def _refuse_other_tree(request: ConvertRequest, before: Manifest, leftovers: Mapping[str, ManifestEntry]) -> None:
    """Raise UsageError before all files of one tree are removed because another tree, or an empty folder, was named."""
    known = {target for target, entry in before.entries.items() if not entry.alone and not is_support(target)}
    if request.policy is not Policy.FORCE and known and known <= leftovers.keys():
        raise UsageError(
            f"{request.folder!r} contains the translation of another tree: none of its files is in "
            f"{request.paths[0]!r}",
            hint="Use another folder for the new tree; --force replaces the content.",
        )


def _result(task: Task, wanted: Wanted | None, failures: Mapping[str, Diagnostic]) -> FileResult:
    failed = wanted is None or task.target in failures
    changed = wanted is not None and (wanted.entry.input != wanted.entry.output or task.target != task.relative)
    return FileResult(task.source, task.written, task.action, changed, failed, ported=task.ported)


def _refuse_strangers(request: ConvertRequest, steps: Iterable[FileStep]) -> None:
    """Raise UsageError if a file to accept is not one of the tree's."""
    strangers = request.accepted - {step.target for step in steps}
    if strangers:
        raise UsageError(f"--accept {min(strangers)!r}: {request.folder!r} has no such file from {request.paths[0]!r}")
