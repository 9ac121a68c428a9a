"""Slurm nodes as a pool: a job array of Dask workers that runs for the duration of a build.

Each element runs many compiles. With one element per compile, a hundred units would reach the array limit (1,001
elements unless a site sets another), and each element would start its own Python.
"""

from __future__ import annotations

import contextlib
import io
import math
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hipport.builds.scheduler.dask_pool import DaskPool, connected, quiet
from hipport.builds.scheduler.options import Options
from hipport.builds.scheduler.protocol import Batch, Ended
from hipport.builds.scheduler.slurm_worker import work
from hipport.errors import HipportError
from hipport.toolchain.process import run

if TYPE_CHECKING:
    from distributed import LocalCluster
    from distributed.security import Security
    from submitit import SlurmExecutor

_JOBS = 16
"""Default number of concurrent compiles."""

_USUAL_LENGTH = 1001
"""The array length assumed if Slurm does not report one."""

_LOOK = 3.0
"""Seconds between looks at the queue."""

_TRIES = 3
"""Number of times that missing elements are replaced before any job has finished."""


@dataclass(slots=True)
class SlurmPool:
    """Running and pending Slurm workers: `wanted` in all, with `threads` each.

    `submitted` are the IDs of the Slurm jobs so far, each an array.
    """

    workers: DaskPool
    executor: SlurmExecutor
    security: Security
    wanted: int
    threads: int
    logs: Path
    submitted: list[str] = field(default_factory=list)
    _looked: float = field(default_factory=time.monotonic)
    _tries: int = 0

    def width(self) -> int:
        return self.workers.width()

    def submit(self, job: Batch) -> None:
        """Submit a job to some worker. Workers are only started for the first job: some builds have nothing to do."""
        if not self.submitted:
            self.start(self.wanted)
        self.workers.submit(job)

    def wait(self) -> Ended | None:
        """Return a finished job, or None if none finishes within a second."""
        ended = self.workers.wait()
        if ended is not None:
            self._tries = 0
        if time.monotonic() - self._looked > _LOOK:
            self._replace()
            self._looked = time.monotonic()
        return ended

    def cancel(self) -> None:
        """Cancel all unfinished jobs."""
        self.workers.cancel()

    def start(self, number: int) -> None:
        """Submit workers in arrays up to the maximum length. Raises `HipportError` if Slurm rejects them."""
        from submitit.core.utils import FailedJobError

        address = self.workers.client.scheduler.address
        longest = _longest_array()
        for first in range(0, number, longest):
            several = [[value] * min(longest, number - first) for value in (address, self.threads, self.security)]
            try:
                with contextlib.redirect_stderr(io.StringIO()):  # submitit prints errors that it also raises
                    jobs = self.executor.map_array(work, *several)
            except (FailedJobError, OSError) as error:
                raise HipportError(f"Slurm rejected the workers: {_said(error)}") from None
            self.submitted += {job.job_id.partition("_")[0] for job in jobs}

    def stop(self) -> None:
        """Cancel all workers, running or pending, and remove the credentials for joining the build."""
        if self.submitted:
            run(["scancel", *self.submitted])
        for path in self.logs.glob("*.pkl"):
            path.unlink(missing_ok=True)

    def _replace(self) -> None:
        """Replace missing workers. Raises HipportError if that repeatedly has no effect."""
        alive = _in_queue(self.submitted)
        if alive is None or alive >= self.wanted:
            return
        if self._tries == _TRIES:
            raise HipportError(
                f"the Slurm jobs end before they have done any work: {_last_words(self.logs)}",
                hint=f"Their output is in {self.logs}. They run hipport's Python, which must exist on all nodes.",
            )
        self._tries += 1
        self.start(self.wanted - alive)


def _longest_array() -> int:
    """Return the maximum array length: the site's MaxArraySize, which is one more than the highest index."""
    config = run(["scontrol", "show", "config"])
    found = re.search(r"^MaxArraySize\s*=\s*(\d+)", config.stdout if config else "", re.MULTILINE)
    return max(1, int(found[1]) if found else _USUAL_LENGTH)


def _in_queue(jobs: list[str]) -> int | None:
    """Return how many elements of these arrays are queued or running, or None if Slurm does not answer."""
    listed = run(["squeue", "--noheader", "--array", "--me", "--format=%F"])
    if listed is None or listed.status:
        return None
    return sum(job in jobs for job in listed.stdout.split())


def _last_words(logs: Path) -> str:
    newest = max(logs.glob("*.err"), key=lambda path: path.stat().st_mtime, default=None)
    lines = newest.read_text(encoding="utf-8", errors="replace").split("\n") if newest else []
    return next((line.strip() for line in reversed(lines) if line.strip()), "they wrote no output")


@contextlib.contextmanager
def allocated(options: Options, jobs: int | None, logs: Path) -> Iterator[SlurmPool]:
    """Yield a pool of workers in Slurm jobs, which end with it. Raises `HipportError` if Slurm rejects them.

    `logs` is a folder on the shared file system. It contains credentials for joining the build, so only its owner may
    read it.
    """
    try:
        from distributed.security import Security
        from submitit import SlurmExecutor

        security = Security.temporary()
    except ImportError as error:
        raise HipportError(f"--scheduler slurm: {error}", hint="pip install 'hipport[slurm]'") from None
    quiet()
    logs.mkdir(parents=True, exist_ok=True)
    logs.chmod(0o700)
    try:
        executor = SlurmExecutor(logs.absolute(), python=options.python or None)
    except RuntimeError:
        raise HipportError(
            "cannot find srun", hint="Run --scheduler slurm on a machine that submits to Slurm."
        ) from None
    executor.update_parameters(**_parameters(options))
    wanted = math.ceil((jobs or _JOBS) / options.cpus)
    with (
        _scheduler(options.interface, security) as cluster,
        connected(cluster.scheduler_address, options.wait or 0, jobs or _JOBS, security) as workers,
    ):
        pool = SlurmPool(workers, executor, security, wanted, options.cpus, logs)
        try:
            yield pool
        finally:
            pool.stop()


def _scheduler(interface: str, security: Security) -> LocalCluster:
    """Start a Dask scheduler in this process, at an address that nodes can reach."""
    from distributed import LocalCluster
    from distributed.utils import get_ip, get_ip_interface

    try:
        host = get_ip_interface(interface) if interface else get_ip()
    except ValueError as error:
        raise HipportError(f"--scheduler-option interface: {error}") from None
    no_dashboard = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}
    return LocalCluster(n_workers=0, host=host, security=security, scheduler_kwargs=no_dashboard)


def _parameters(options: Options) -> dict[str, Any]:
    """Return the parameters for the header of the job script."""
    named = {name: getattr(options, name) for name in ("partition", "account", "qos", "constraint")}
    return {
        "job_name": "hipport",
        "time": options.minutes,
        "mem": options.memory,
        "cpus_per_task": options.cpus,
        "use_srun": False,
        "additional_parameters": {"requeue": True},
        **{name: value for name, value in named.items() if value},
    }


def _said(error: Exception) -> str:
    """Extract sbatch's message from the error of a failed command."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return next((line for line in lines if line.startswith("sbatch: ")), lines[-1] if lines else type(error).__name__)
