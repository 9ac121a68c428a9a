"""Engines that run the steps of a plan; the default is ninja on this machine."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from hipport.builds.freshness import Freshness
from hipport.builds.plan import BuildPlan
from hipport.builds.runner import Done, run_ninja

BUILD_FILE = "build.ninja"
"""The file in the build folder that ninja reads."""


class Engine(Protocol):
    def run(self, plan: BuildPlan, folder: str, tools: str) -> Iterator[Done]:
        """Run the steps whose inputs, flags or tools differ from those that their outputs were made with.

        `folder` is the build folder; `tools` lists the programs that the steps run, with versions. Yields steps as
        they finish, including failed ones; after a failure no new step is started.
        """


@dataclass(frozen=True, slots=True)
class NinjaEngine:
    """Runs steps as local processes with ninja, `jobs` at a time."""

    jobs: int | None = None

    def run(self, plan: BuildPlan, folder: str, tools: str) -> Iterator[Done]:
        """Run the steps that ninja finds out of date."""
        fresh = Freshness(plan, tools)
        fresh.before()
        started = time.time_ns()
        for event in run_ninja(f"{folder}/{BUILD_FILE}", self.jobs):
            if not event.failed:
                fresh.after(plan.steps[event.step], started)
            yield event
