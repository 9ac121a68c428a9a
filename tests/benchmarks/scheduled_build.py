"""Overhead of a distributed build: the same plan run by ninja on this machine and by two Dask workers.

With a stand-in compiler, which writes a line, next to nothing but the engines' own work is left; it is divided by the
number of steps. A smaller build by the real compiler is taken beside it.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hipport.builds.plan import BuildPlan
from tests.benchmarks.measure import Measurement, ratio_table, side_by_side
from tests.builds.scheduler.fakes import make_plan

UNITS, TARGETS = 200, 4
_REAL_UNITS, _REAL_TARGETS = 4, "gfx90a,gfx1030"
_COMPILER = """#!/bin/sh
# usage: cc -MF DEPFILE -MQ NAME -o OUTPUT INPUT...
echo "$4: $7" > "$2"
echo "$4" > "$6"
"""
_KERNEL = "#include <cuda_runtime.h>\n__global__ void kernel{0}(float *p) {{ p[threadIdx.x] *= {0}; }}\n"
_WORKER = ("-m", "distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny", "--no-dashboard")
_SCHEDULER = ("-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")


def run(tree: Path) -> str:
    """Measure with generated sources; the tree is not used."""
    with tempfile.TemporaryDirectory() as name, _workers(Path(name)) as address:
        return "\n".join([_stand_in(Path(name), address), _real(Path(name), address)])


@contextmanager
def _workers(folder: Path) -> Iterator[str]:
    """Start a scheduler with two workers and yield its address."""
    file = folder / "scheduler.json"
    commands = [(*_SCHEDULER, "--scheduler-file", str(file)), *[(*_WORKER, "--scheduler-file", str(file))] * 2]
    processes = []
    try:
        for command in commands:
            processes.append(subprocess.Popen([sys.executable, *command], stderr=subprocess.DEVNULL, cwd=folder))
            while not file.exists():
                time.sleep(0.1)
        from distributed import Client

        with Client(scheduler_file=str(file), set_as_default=False) as client:
            client.wait_for_workers(2)
            address = str(client.scheduler.address)
        yield address
    finally:
        for process in reversed(processes):
            process.kill()
            process.wait()


_RUN = """
import json, sys
from hipport.builds.engine import NinjaEngine
from hipport.builds.ninja_file import ninja_text
from hipport.builds.scheduler.dask_pool import connected
from hipport.builds.scheduler.engine import ScheduledEngine
from tests.builds.scheduler.fakes import make_plan
from pathlib import Path
compiler, units, targets, address = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
plan = make_plan(compiler, units, targets)
Path("out.build").mkdir(exist_ok=True)
Path("out.build/build.ninja").write_text(ninja_text(plan, "out.build"))
if address:
    with connected(address[0], 60, None) as pool:
        events = list(ScheduledEngine(pool).run(plan, "out.build", ""))
else:
    events = list(NinjaEngine(2).run(plan, "out.build", ""))
assert not [event for event in events if event.failed], events
print(len(events))
"""


def _stand_in(folder: Path, address: str) -> str:
    place = folder / "stand-in"
    place.mkdir()
    compiler = place / "cc"
    compiler.write_text(_COMPILER)
    compiler.chmod(0o755)
    for unit in range(UNITS):
        (place / f"s{unit}.txt").write_text(f"source {unit}\n")
    plan = make_plan(str(compiler), UNITS, TARGETS)

    def build(*address: str, again: bool = False) -> None:
        if not again:
            shutil.rmtree(place / "out.build", ignore_errors=True)
        command = [sys.executable, "-c", _RUN, str(compiler), str(UNITS), str(TARGETS), *address]
        done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert int(done.stdout) == (0 if again else len(plan.steps)), done.stdout

    candidates = {
        "ninja, two commands at a time": lambda: build(),
        "ninja again, nothing to do": lambda: build(again=True),
        "two Dask workers": lambda: build(address),
        "two Dask workers again, nothing to do": lambda: build(address, again=True),
    }
    taken = side_by_side(candidates, 2)
    title = f"{UNITS} units for {TARGETS} targets by a stand-in compiler, {len(plan.steps)} steps"
    return ratio_table(title, taken, "ninja, two commands at a time") + _per_step(taken, plan)


def _per_step(taken: dict[str, Measurement], plan: BuildPlan) -> str:
    each = {name: f"{1000 * found.seconds / len(plan.steps):.1f} ms" for name, found in taken.items()}
    return "\nFor each step: " + ", ".join(f"{name}: {time}" for name, time in each.items()) + ".\n"


def _real(folder: Path, address: str) -> str:
    place = folder / "real"
    place.mkdir()
    sources = [f"k{unit}.cu" for unit in range(_REAL_UNITS)]
    for unit, source in enumerate(sources):
        (place / source).write_text(_KERNEL.format(unit))

    def build(*options: str) -> bytes:
        shutil.rmtree(place / "k.so.build", ignore_errors=True)
        command = ("build", *sources, "--shared", "-o", "k.so", "--offload-arch", _REAL_TARGETS, *options)
        done = subprocess.run([sys.executable, "-m", "hipport", *command], cwd=place, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        return (place / "k.so").read_bytes()

    assert build("-j2") == build("--scheduler", "dask", "--address", address)
    candidates = {
        "hipport build -j 2": lambda: build("-j2"),
        "hipport build --scheduler dask, two workers": lambda: build("--scheduler", "dask", "--address", address),
    }
    taken = side_by_side(candidates, 2)
    title = f"{_REAL_UNITS} units for {_REAL_TARGETS.replace(',', ' and ')} by the real compiler"
    return ratio_table(title, taken, "hipport build -j 2")
