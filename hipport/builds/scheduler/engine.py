"""Run a plan on a pool of machines."""

from __future__ import annotations

import functools
import secrets
import shutil
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from pathlib import Path

from hipport.builds.plan import BuildPlan
from hipport.builds.runner import Done
from hipport.builds.scheduler import record
from hipport.builds.scheduler.check import appears
from hipport.builds.scheduler.graph import Graph
from hipport.builds.scheduler.perform import PART, KilledError, perform
from hipport.builds.scheduler.protocol import Batch, Ended, Pool, Site, Task, TaskOutcome
from hipport.builds.scheduler.record import BuildRecord
from hipport.builds.scheduler.site import survey
from hipport.errors import HipportError

_NINJA_LOG = ".ninja_log"


@dataclass(frozen=True, slots=True)
class ScheduledEngine:
    """Runs steps on the machines of a pool, except those that need all objects in one place."""

    pool: Pool

    def run(self, plan: BuildPlan, folder: str, tools: str) -> Iterator[Done]:
        """Run the outdated steps and yield each as it finishes; after a failure no new step is started.

        Raises `HipportError` if a machine sees different files or has different tools, or if none is left.
        """
        graph = Graph.of(plan, str(Path.cwd()), tools)
        stale = graph.stale()
        if not stale:
            return
        # ninja's record of the outputs is now wrong: the next build by ninja has to rebuild them.
        (Path(folder) / _NINJA_LOG).unlink(missing_ok=True)
        try:
            yield from _Run(self.pool, graph, folder, graph.groups(stale), len(stale)).events()
        finally:
            self.pool.cancel()
        # Skipped after an interruption: running steps continue then, and the next build finds them done.
        _remove_parts({Path(step.output).parent for step in plan.steps})


@dataclass(slots=True)
class _Run:
    """State of one run: ready and running groups, progress, and the digests of the files read so far."""

    pool: Pool
    graph: Graph
    folder: str
    order: TopologicalSorter[tuple[int, ...]]
    total: int
    started: int = field(default_factory=time.time_ns)
    ready: deque[tuple[int, ...]] = field(default_factory=deque)
    running: dict[int, tuple[int, ...]] = field(default_factory=dict)
    over: int = 0
    failed: bool = False
    token: str = field(default_factory=functools.partial(secrets.token_hex, 8))
    site: Site | None = None
    seen: dict[str, str] = field(default_factory=dict)

    def events(self) -> Iterator[Done]:
        """Submit ready groups and collect results until everything is done or a step has failed."""
        while True:
            if not self.failed:
                yield from self._begin(self.order.get_ready())
            if self.running:
                ended = self.pool.wait()
                if ended is not None:
                    yield from self._end(ended)
            elif self.failed or not self.order.is_active():
                return

    def _begin(self, groups: Iterable[tuple[int, ...]]) -> Iterator[Done]:
        """Run local steps, and submit as many others as the pool can use."""
        for group in groups:
            if self.graph.is_here(group):
                self.running[group[0]] = group
                yield from self._end(_performed(self._job(group)))
            else:
                self.ready.append(group)
        width = self.pool.width() if self.ready else 0
        while self.ready and len(self.running) < width and not self.failed:
            group = self.ready.popleft()
            self.running[group[0]] = group
            self.pool.submit(self._job(group))

    def _job(self, group: tuple[int, ...]) -> Batch:
        if self.graph.is_here(group):
            return self._local(group)
        # Delayed until the steps assembled here are done: their outputs are part of what machines must agree on.
        self.site = self.site or survey(self.graph.plan, self.folder, self.token)
        return Batch(group[0], self.site, tuple(map(self.graph.task, group)))

    def _local(self, group: tuple[int, ...]) -> Batch:
        """Return a job for this machine, with an empty plan as its site: there is nothing to agree on."""
        return Batch(group[0], survey(BuildPlan((), ""), self.folder, self.token), tuple(map(self.graph.task, group)))

    def _end(self, ended: Ended) -> Iterator[Done]:
        group = self.running.pop(ended.number)
        for outcome in ended.outcomes:
            if outcome.refusal:
                raise HipportError(f"{outcome.where} {outcome.refusal}", hint=_HINT)
            if outcome.status:
                self._doubt(outcome)
            else:
                self._see_to(outcome)
            yield self._event(outcome.step, outcome.text, failed=outcome.status != 0)
        if ended.error:
            yield self._event(group[len(ended.outcomes)], ended.error, failed=True)
        if not self.failed:
            self.order.done(group)

    def _event(self, step: int, text: str, *, failed: bool) -> Done:
        self.over += 1
        self.failed |= failed
        return Done(step, self.over, self.total, text, failed)

    def _doubt(self, outcome: TaskOutcome) -> None:
        """Retry a failed step once on this machine.

        Raises `HipportError` if it works here: then the other machine is at fault.
        """
        step = self.graph.plan.steps[outcome.step]
        if self.failed or self.graph.is_here((outcome.step,)):
            return
        again = _performed(self._local((outcome.step,)))
        if again.outcomes and again.outcomes[0].status == 0:
            said = outcome.text.strip().splitlines() or ["no message"]
            raise HipportError(f"{step.title} works here, but not on {outcome.where}: {said[0]}", hint=_HINT)

    def _see_to(self, outcome: TaskOutcome) -> None:
        """Accept an output made on another machine. Raises `HipportError` if it was made from different files."""
        task = self.graph.task(outcome.step)
        folder = self.graph.folder
        if not appears(str(Path(folder) / record.record_path(task.output))):
            raise HipportError(f"{task.output}, made by {outcome.where}, is not visible on this machine", hint=_HINT)
        known = record.load(folder, task.output)
        if known is None:
            raise HipportError(f"{record.record_path(task.output)}: cannot be read", hint=_HINT)
        self.graph.digests[task.output] = known.digest
        self._compare(task, known, outcome.where)

    def _compare(self, task: Task, known: BuildRecord, where: str) -> None:
        """Check that the files read there match those here; discard the record if files changed in the meantime."""
        folder = self.graph.folder
        for path, there in zip(record.reads(folder, task), known.reads, strict=False):
            if path in self.graph.made or self.seen.get(path) == there:
                continue
            if record.digest_at(folder, path) == there:
                self.seen[path] = there
                continue
            if record.changed_at(folder, path) <= self.started:
                raise HipportError(f"{path} on {where} differs from the one on this machine", hint=_HINT)
            (Path(folder) / record.record_path(task.output)).unlink(missing_ok=True)
            return


_HINT = "All files of a build must be on a shared file system or identical on all machines, including the tools."


def _performed(job: Batch) -> Ended:
    """Perform a job on this machine."""
    try:
        return perform(job)
    except (KilledError, OSError) as error:
        return Ended(job.number, error=f"{error}\n")


def _remove_parts(folders: set[Path]) -> None:
    """Remove partial outputs left by machines that died."""
    for folder in folders:
        for part in folder.glob(f"{PART}*"):
            shutil.rmtree(part, ignore_errors=True)
