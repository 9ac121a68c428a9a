"""Plan the step for each file of an output tree, and its manifest entry afterwards."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from hipport.diagnostics import Diagnostic
from hipport.files import sources
from hipport.files.hashes import Hasher, digest
from hipport.project import problems
from hipport.project.request import Policy, Verdict
from hipport.project.state.folder import StateFolder
from hipport.project.state.manifest import ManifestEntry
from hipport.project.task import Action
from hipport.project.tree.merge import has_markers, merge
from hipport.project.tree.verdicts import decide
from hipport.project.tree.wanted import Wanted


class FileStep(Struct, frozen=True):
    """The step for one output file.

    `before` and `after` are its manifest entries, if any, before and after the step. `wanted` is the file to write,
    `merged` the content if that differs, `moved_from` the file whose edits it takes over, `problem` the diagnostic for
    the user.
    """

    target: str
    verdict: Verdict
    before: ManifestEntry | None = None
    after: ManifestEntry | None = None
    wanted: Wanted | None = None
    merged: bytes | None = None
    moved_from: str = ""
    problem: Diagnostic | None = None

    @property
    def marked(self) -> bool:
        """Return whether the file has conflict markers after the step."""
        return self.after is not None and self.after.conflict

    @property
    def result(self) -> str:
        """Return the digest of the file after the step."""
        assert self.after is not None
        return self.after.output if self.merged is None else digest(self.merged)


class Planner(Struct, frozen=True):
    """Plans the steps for the tree at path `tree`; for `accepted` files, the file as it is settles a conflict."""

    tree: str
    folder: StateFolder
    hasher: Hasher
    policy: Policy
    accepted: frozenset[str] = frozenset()

    def steps(
        self, before: Mapping[str, ManifestEntry], wanted: Mapping[str, Wanted], leftovers: Mapping[str, ManifestEntry]
    ) -> Iterator[FileStep]:
        """Yield a step for each file that is wanted or left over; `leftovers` are the entries whose source is gone."""
        for step in self._steps(before, wanted, leftovers):
            yield self._accepted(step) if step.target in self.accepted else step

    def _accepted(self, step: FileStep) -> FileStep:
        """Return the step for a file that the user has decided about, unless conflict markers are left in it."""
        if step.verdict is not Verdict.CONFLICT or step.marked:
            return step
        verdict = Verdict.EDITED if os.path.lexists(self._path(step.target)) else Verdict.ABSENT
        return replace(
            step, verdict=verdict, after=step.wanted.entry if step.wanted is not None else None, problem=None
        )

    def _steps(
        self, before: Mapping[str, ManifestEntry], wanted: Mapping[str, Wanted], leftovers: Mapping[str, ManifestEntry]
    ) -> Iterator[FileStep]:
        moves = self._moves(before, wanted, leftovers) if self.policy is Policy.MERGE else {}
        vanishing = {target[:end] for target in leftovers for end, char in enumerate(target) if char == "/"}
        for target, item in wanted.items():
            known = before.get(target)
            try:
                moved = self._moved(target, leftovers, item, moves)
                yield moved or self._wanted(target, known, item, was_folder=target in vanishing)
            except OSError as error:
                problem = problems.unwritable(self._path(target), self._path(target), error)
                yield FileStep(target, Verdict.BLOCKED, known, known, problem=problem)
        for target, entry in leftovers.items():
            if target not in moves.values():
                yield self._leftover(target, entry)

    def _moved(
        self, target: str, leftovers: Mapping[str, ManifestEntry], item: Wanted, moves: dict[str, str]
    ) -> FileStep | None:
        """Return the step that moves edits to a new name; None, with the entry removed from `moves`, if it cannot."""
        if target not in moves:
            return None
        step = self._merged(target, leftovers[moves[target]], item, moves[target])
        if step.merged is not None:
            return step
        del moves[target]
        return None

    def _path(self, target: str) -> str:
        return os.path.join(self.tree, target)

    def _moves(
        self, before: Mapping[str, ManifestEntry], wanted: Mapping[str, Wanted], leftovers: Mapping[str, ManifestEntry]
    ) -> dict[str, str]:
        """Return files, new to old, whose source was renamed but not changed, and whose old output was edited."""
        edited = {
            entry.input: target
            for target, entry in leftovers.items()
            if self.hasher.at(self._path(target)) not in (None, entry.output)
        }
        return {
            target: edited.pop(item.entry.input)
            for target, item in wanted.items()
            if target not in before and item.entry.input in edited and not os.path.lexists(self._path(target))
        }

    def _wanted(self, target: str, before: ManifestEntry | None, item: Wanted, *, was_folder: bool) -> FileStep:
        current = None if was_folder else self.hasher.at(self._path(target))
        verdict = decide(before, item.entry, current, self.policy)
        if verdict is Verdict.MERGE and before is not None:
            return self._merged(target, before, item)
        step = FileStep(target, verdict, before, item.entry, item)
        if verdict is Verdict.EDITED and before is not None and before.conflict:
            return self._perhaps_resolved(step, item.entry)
        if verdict is Verdict.BLOCKED:
            what = "it was edited, and its source has changed"
            return replace(step, after=before, problem=problems.edited(self._path(target), what))
        if verdict is Verdict.UNKNOWN:
            what = "its content was not written by hipport"
            return replace(step, after=None, problem=problems.edited(self._path(target), what))
        if verdict is Verdict.CONFLICT:
            advice = "Nothing was written. `hipport convert` restores the file; --accept leaves it out for good."
            problem = problems.conflict(self._path(target), "removed in the output, and its source has changed", advice)
            return replace(step, after=before, problem=problem)
        return step

    def _leftover(self, target: str, entry: ManifestEntry) -> FileStep:
        verdict = decide(entry, None, self.hasher.at(self._path(target)), self.policy)
        if verdict is Verdict.BLOCKED:
            problem = problems.edited(self._path(target), "its source was removed, but it was edited")
            return FileStep(target, verdict, entry, entry, problem=problem)
        if verdict is Verdict.CONFLICT:
            advice = "Remove it, or pass --accept with its name: it is your own file then."
            problem = problems.conflict(
                self._path(target), "its source was removed, but it was edited in the output", advice
            )
            return FileStep(target, verdict, entry, entry, problem=problem)
        return FileStep(target, verdict, entry)

    def _perhaps_resolved(self, step: FileStep, entry: ManifestEntry) -> FileStep:
        if not has_markers(sources.read(self._path(step.target))):
            return step
        return replace(step, verdict=Verdict.CONFLICT, after=replace(entry, conflict=True), problem=self._markers(step))

    def _markers(self, step: FileStep) -> Diagnostic:
        advice = "Resolve the parts between <<<<<<< and >>>>>>>, and run again."
        return problems.conflict(self._path(step.target), "edits conflict with changes of the source", advice)

    def _merged(self, target: str, before: ManifestEntry, item: Wanted, moved_from: str = "") -> FileStep:
        step = FileStep(target, Verdict.MERGE, before, item.entry, item, moved_from=moved_from)
        path = self._path(moved_from or target)
        edited = sources.read(path) if os.path.isfile(path) and not os.path.islink(path) else None
        if edited is not None and before.conflict and has_markers(edited):
            return replace(step, verdict=Verdict.CONFLICT, after=before, problem=self._markers(step))
        base = self.folder.base(before.output)
        if edited is None or base is None or item.task.action is Action.LINK:
            return self._not_merged(step)
        merged = merge(base, edited, item.content())
        if merged is None:
            return self._not_merged(step)
        if merged.clean:
            return replace(step, merged=merged.data)
        after = replace(item.entry, conflict=True)
        return replace(step, verdict=Verdict.CONFLICT, after=after, merged=merged.data, problem=self._markers(step))

    def _not_merged(self, step: FileStep) -> FileStep:
        advice = (
            "It is not a text file, or its base was lost. Compare it with the source, merge by hand, and pass --accept "
            "with its name."
        )
        what = "edited, and its source has changed; the two cannot be merged"
        problem = problems.conflict(self._path(step.target), what, advice)
        return replace(step, verdict=Verdict.CONFLICT, after=step.before, problem=problem)
