"""Where the results of a run go: shown, written in place, or copied to a folder. Trees with state: `tree/sink.py`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from hipport.diagnostics import Diagnostic
from hipport.files import sources
from hipport.mappings.choice import Releases
from hipport.project.plan import TreePlan
from hipport.project.request import ConvertRequest, FileResult, Report
from hipport.project.task import Action, Task
from hipport.project.translate import Outcome
from hipport.translate.context import Context

if TYPE_CHECKING:
    from hipport.project.write import Failures


class Sink(Struct, frozen=True, dict=True):
    """A sink that writes nothing: the report is all there is (`--check`). `context` is None without sources."""

    request: ConvertRequest
    plan: TreePlan
    context: Context | None

    @property
    def releases(self) -> Releases | None:
        """The releases that the sources were translated for; None without sources."""
        return self.context.tables.releases if self.context is not None else None

    def recall(self, task: Task) -> Outcome | None:
        """Return the outcome of an unchanged source from an earlier run, if it is known."""
        return None

    def recall_build_files(self, outcomes: Mapping[str, Outcome]) -> dict[str, Outcome] | None:
        """Return the outcomes of all build files from an earlier run, given those of the sources, if they are known."""
        return None

    def take(self, outcomes: Mapping[str, Outcome]) -> Report:
        """Write the results, and return the report on the run; failures to write are in it."""
        failures, support_dirs, lacking = self.write(outcomes)
        files = tuple(self._result(task, outcomes.get(task.source, Outcome()), failures) for task in self.plan.tasks)
        found = [diagnostic for outcome in outcomes.values() for diagnostic in outcome.findings]
        diagnostics = in_order([*self.plan.diagnostics, *found, *failures.values(), *lacking.values()])
        return Report(self.request.mode, files, diagnostics, self.releases, support_dirs)

    def write(self, outcomes: Mapping[str, Outcome]) -> tuple[Failures, tuple[str, ...], Failures]:
        """Write files, then hipport's own headers; return failures, the headers' folders, and failures with these."""
        return {}, (), {}

    def shows(self, *, changed: bool) -> bool:
        """Return whether the report needs the contents of a file."""
        return False

    def _result(self, task: Task, outcome: Outcome, failures: Failures) -> FileResult:
        changed = outcome.changes(task)
        failed = outcome.failed or task.source in failures
        shown = not outcome.failed and self.shows(changed=changed)
        before, after = _contents(task, outcome) if shown else (b"", b"")
        return FileResult(task.source, task.written, task.action, changed, failed, before, after, task.ported)


class Diff(Sink, frozen=True):
    """Shows the contents of files that change."""

    def shows(self, *, changed: bool) -> bool:
        return changed


class Stdout(Sink, frozen=True):
    """Shows the content of the one file."""

    def shows(self, *, changed: bool) -> bool:
        return True


class InPlace(Sink, frozen=True):
    """Writes files over their sources."""

    def write(self, outcomes: Mapping[str, Outcome]) -> tuple[Failures, tuple[str, ...], Failures]:
        from hipport.project.write import write_in_place

        return write_in_place(self.plan, outcomes), *_support(self.request, self.plan.sources, outcomes)


class Copy(Sink, frozen=True):
    """Writes single files to a folder without state."""

    def write(self, outcomes: Mapping[str, Outcome]) -> tuple[Failures, tuple[str, ...], Failures]:
        from hipport.project.write import write_copy

        return write_copy(self.plan, outcomes), *_support(self.request, self.plan.sources, outcomes)


def in_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return diagnostics in the order of a report: by path and position."""
    return tuple(sorted(diagnostics, key=lambda found: (os.fsencode(found.path), found.line, found.column)))


def _support(
    request: ConvertRequest, tasks: Iterable[Task], outcomes: Mapping[str, Outcome]
) -> tuple[tuple[str, ...], Failures]:
    if not request.support:
        return (), {}
    from hipport.project.support import write_support

    return write_support(tasks, outcomes)


def _contents(task: Task, outcome: Outcome) -> tuple[bytes, bytes]:
    if task.action is Action.LINK:
        return os.fsencode(task.link_was), os.fsencode(task.link)
    before = sources.read(task.source)
    return before, before if outcome.data is None else outcome.data
