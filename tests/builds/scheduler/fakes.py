"""A compiler that takes no time, plans that use it, and a pool with threads as machines."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from hipport.builds.plan import BuildPlan, BuildStep, StepKind
from hipport.builds.scheduler.perform import perform
from hipport.builds.scheduler.protocol import Batch, Ended

# It writes what it was given, and which headers that names; a line `fail` makes it fail, `die` has it killed.
COMPILER = """\
#!/bin/sh
# usage: cc -MF DEPFILE -MQ NAME -o OUTPUT INPUT...
depfile=$2 name=$4 output=$6
shift 6
echo "$name" >> "${LOG:-compiled.log}"
grep -h '^say ' "$@"
grep -q '^fail' "$@" && { echo "$1: error: no"; exit 3; }
grep -q '^die' "$@" && kill -KILL $$
headers=$(sed -n 's/^include //p' "$@" | tr '\\n' ' ')
cat "$@" $headers > "$output" || exit 4
echo "$name: $* $headers" > "$depfile"
"""


def write_compiler(folder: Path) -> str:
    path = folder / "cc"
    path.write_text(COMPILER)
    path.chmod(0o755)
    return str(path)


def make_step(compiler: str, kind: StepKind, output: str, *inputs: str, title: str = "") -> BuildStep:
    depfile = f"{output}.d"
    command = (compiler, "-MF", depfile, "-MQ", output, "-o", output, *inputs)
    return BuildStep(kind, title or output, command, inputs, output, depfile)


def make_plan(compiler: str, units: int, targets: int = 2) -> BuildPlan:
    """Return a plan with units `sN.txt` for some targets: device compiles, bundle, host compile; one link."""
    steps: list[BuildStep] = []
    objects: list[str] = []
    for unit in range(units):
        source, folder = f"s{unit}.txt", f"out.build/u{unit}"
        code = [f"{folder}/t{target}.co" for target in range(targets)]
        steps += [make_step(compiler, StepKind.DEVICE, path, source) for path in code]
        steps.append(make_step(compiler, StepKind.BUNDLE, f"{folder}/x.hipfb", *code))
        steps.append(make_step(compiler, StepKind.HOST, f"{folder}/host.o", source, f"{folder}/x.hipfb"))
        objects.append(f"{folder}/host.o")
    steps.append(make_step(compiler, StepKind.LINK, "out.build/product", *objects))
    return BuildPlan(tuple(steps), "out.build/product")


@dataclass
class ThreadPool:
    """A pool that runs `do` for each job in a thread."""

    executor: ThreadPoolExecutor
    do: Callable[[Batch], Ended] = perform
    jobs: list[Batch] = field(default_factory=list)
    cancelled: int = 0
    ended: queue.SimpleQueue[Ended] = field(default_factory=queue.SimpleQueue)

    def width(self) -> int:
        return 4

    def submit(self, job: Batch) -> None:
        self.jobs.append(job)
        self.executor.submit(self._do, job)

    def _do(self, job: Batch) -> None:
        try:
            self.ended.put(self.do(job))
        except Exception as error:
            self.ended.put(Ended(job.number, error=f"{error}\n"))

    def wait(self) -> Ended | None:
        try:
            return self.ended.get(timeout=1.0)
        except queue.Empty:
            return None

    def cancel(self) -> None:
        self.cancelled += 1


@contextmanager
def threads(do: Callable[[Batch], Ended] = perform) -> Iterator[ThreadPool]:
    with ThreadPoolExecutor(2) as executor:
        yield ThreadPool(executor, do)
