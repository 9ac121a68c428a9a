"""Run the copy program once for each way of copying that a machine supports."""

from __future__ import annotations

import datetime
import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hipport
from hipport.bench.p2p.links import links
from hipport.bench.p2p.measurements import Measurements, device_from, way_from
from hipport.builds.request import OutputKind
from hipport.builds.shipped import Progress, Shipped, Target, built
from hipport.errors import HipportError
from hipport.toolchain.places import Surroundings

PROGRAM = Shipped("p2p program", "p2p", OutputKind.EXECUTABLE, Path(hipport.__file__).parent, ("bench/p2p/program",))


@dataclass(frozen=True, slots=True)
class _Run:
    """A way of copying: its name, and the program's option and environment for it."""

    name: str
    option: str
    environment: Mapping[str, str]


_KERNEL = _Run("kernel", "kernel", {})
_RUNS = {
    # ROCm's runtime copies with its engines or, where they are disabled, with kernels of its own.
    "amd": (
        _Run("copy engine (HSA_ENABLE_SDMA=1)", "peer-copy", {"HSA_ENABLE_SDMA": "1"}),
        _Run("kernel (HSA_ENABLE_SDMA=0)", "peer-copy", {"HSA_ENABLE_SDMA": "0"}),
    ),
    "nvidia": (_Run("copy engine (cudaMemcpyPeerAsync)", "peer-copy", {}), _KERNEL),
    "cpu": (_Run("hipMemcpyPeerAsync", "peer-copy", {}), _KERNEL),
}


def measure(
    target: Target, size: int, where: Surroundings, progress: Progress, compiler: str | None = None
) -> Measurements:
    """Measure copies of `size` bytes between all GPUs. Raises `HipportError` if the program cannot be built or run."""
    program = built(PROGRAM, target, where, progress, compiler=compiler)
    runs = _RUNS[target.name]
    answers = []
    for run in runs:
        progress(f"measuring: {run.name}")
        answers.append(_answer(program, run, size))
    devices = tuple(device_from(device) for device in answers[0]["devices"])
    return Measurements(
        target.name,
        datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        size,
        answers[0]["small_bytes"],
        devices,
        links(target.name, devices, where),
        tuple(way_from(run.name, answer, len(devices)) for run, answer in zip(runs, answers, strict=True)),
    )


def _answer(program: Path, run: _Run, size: int) -> Any:
    command = [str(program), "--way", run.option, "--bytes", str(size)]
    done = subprocess.run(
        command, env={**os.environ, **run.environment}, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    said = done.stderr.decode(errors="replace").strip()
    if done.returncode != 0:
        raise HipportError(f"the measurement failed ({run.name}): {said or f'exit status {done.returncode}'}")
    return json.loads(done.stdout)
