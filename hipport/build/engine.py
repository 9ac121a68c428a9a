"""What runs the steps of a plan: ninja on this machine, unless another engine is asked for."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from hipport.build.freshness import Freshness
from hipport.build.plan import Plan
from hipport.build.runner import Done, run_ninja

BUILD_FILE = "build.ninja"
"""The file in the build folder that ninja reads."""


class Engine(Protocol):
    """Runs plans."""

    def run(self, plan: Plan, folder: str, tools: str) -> Iterator[Done]:
        """Run the steps whose inputs, flags or tools are not those that their outputs were made with.

        `folder` is the build folder, `tools` says which programs the steps run, with their versions. Yields steps as
        they end, failed ones too; after one that failed none is begun.
        """


@dataclass(frozen=True, slots=True)
class NinjaEngine:
    """Processes of this machine, by ninja; `jobs` at a time."""

    jobs: int | None = None

    def run(self, plan: Plan, folder: str, tools: str) -> Iterator[Done]:
        """Run what ninja finds to be out of date."""
        fresh = Freshness(plan, tools)
        fresh.before()
        started = time.time_ns()
        for event in run_ninja(f"{folder}/{BUILD_FILE}", self.jobs):
            if not event.failed:
                fresh.after(plan.steps[event.step], started)
            yield event
