"""Decide which steps of a plan to run, in what order, and which of them together."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from graphlib import TopologicalSorter

from hipport.builds.plan import BuildPlan, StepKind
from hipport.builds.scheduler import record
from hipport.builds.scheduler.protocol import Task

_HERE = (StepKind.ASSEMBLE, StepKind.LINK, StepKind.ARCHIVE)
"""Steps run on the build machine: a few short ones before all others, and the one that needs all objects."""


@dataclass(frozen=True, slots=True)
class Graph:
    """A plan and the state of its outputs; `made` maps each output to the index of its step in the plan.

    `digests` is filled as outputs are made or found.
    """

    plan: BuildPlan
    folder: str
    tools: str
    made: Mapping[str, int]
    digests: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def of(plan: BuildPlan, folder: str, tools: str) -> Graph:
        """Return the graph of a plan whose commands run in `folder`; `tools` lists programs and versions."""
        return Graph(plan, folder, tools, {step.output: number for number, step in enumerate(plan.steps)})

    def stale(self) -> set[int]:
        """Return the steps whose output is missing or was made from something else, and all that depend on them."""
        found: set[int] = set()
        digest_of = functools.cache(functools.partial(record.digest_at, self.folder))  # headers are shared
        for number, step in enumerate(self.plan.steps):
            if any(self.made.get(path) in found for path in step.inputs) or not self._holds(number, digest_of):
                found.add(number)
        return found

    def _holds(self, number: int, digest_of: Callable[[str], str | None]) -> bool:
        task = self.task(number)
        known = record.load(self.folder, task.output)
        if known is None or not record.holds(known, self.folder, task, digest_of):
            return False
        self.digests[task.output] = known.digest
        return True

    def task(self, number: int) -> Task:
        """Return a step as a task, with the digests of the inputs that exist."""
        step = self.plan.steps[number]
        inputs = tuple((path, self._digest(path)) for path in step.inputs)
        key = record.step_key(step.command, self.tools)
        return Task(number, step.title, step.command, inputs, step.output, step.depfile, key)

    def _digest(self, path: str) -> str | None:
        return self.digests.get(path) if path in self.made else record.digest_at(self.folder, path)

    def is_here(self, group: tuple[int, ...]) -> bool:
        """Return whether a group must run on this machine."""
        return self.plan.steps[group[0]].kind in _HERE

    def groups(self, stale: set[int]) -> TopologicalSorter[tuple[int, ...]]:
        """Return the stale steps in dependency order, grouped so that one machine does each group."""
        group_of = {number: group for group in self._together(stale) for number in group}
        sorter: TopologicalSorter[tuple[int, ...]] = TopologicalSorter()
        for number, group in group_of.items():
            needed = (self.made[path] for path in self.plan.steps[number].inputs if path in self.made)
            sorter.add(group, *{group_of[other] for other in needed if other in stale} - {group})
        sorter.prepare()
        return sorter

    def _together(self, stale: set[int]) -> Iterator[tuple[int, ...]]:
        """Group each bundle step with the host compile that embeds it: one machine writes and reads the bundle."""
        steps = self.plan.steps
        embedded = {steps[number].output: number for number in stale if steps[number].kind is StepKind.BUNDLE}
        taken: set[int] = set()
        for number in sorted(stale, reverse=True):
            bundle = next((embedded[path] for path in steps[number].inputs if path in embedded), None)
            if number not in taken:
                group = (number,) if bundle is None or bundle in taken else (bundle, number)
                taken.update(group)
                yield group
