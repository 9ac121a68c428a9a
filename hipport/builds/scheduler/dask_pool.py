"""The workers of a Dask scheduler as a pool."""

from __future__ import annotations

import contextlib
import logging
import queue
import re
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hipport.builds.scheduler.perform import perform
from hipport.builds.scheduler.protocol import Batch, Ended
from hipport.errors import HipportError, UsageError

if TYPE_CHECKING:
    from distributed import Client, Future
    from distributed.security import Security

_ADDRESS = re.compile(r"(?:\w+://)?(?:\[[0-9A-Fa-f:.]+\]|[^\s:/\[\]]+):\d{1,5}")

_RETRIES = 2
"""Number of retries for a job whose command was killed or whose file system failed; dying workers count separately."""

_AHEAD = 2
"""Jobs per worker thread: one running, and one ready to start after it."""

_FEWEST = 8
"""Jobs submitted to a pool without workers: schedulers that start workers on demand need to see some."""

PATIENCE = 60
"""Default time in seconds to go on without any worker."""

_GREETING = 1 << 16
"""Upper limit in bytes for a scheduler's greeting, which has a few hundred."""

_REACHED = 5.0
"""Timeout in seconds for a scheduler's answer."""


@dataclass(slots=True)
class DaskPool:
    """Runs jobs as tasks of a Dask client. `patience`: seconds to go on without any worker, 0 for no limit."""

    client: Client
    patience: float
    jobs: int | None = None
    _futures: dict[int, Future] = field(default_factory=dict)
    _ended: queue.SimpleQueue[int] = field(default_factory=queue.SimpleQueue)
    _threads: int = 0
    _asked: float = 0.0
    _alone_since: float | None = None

    def width(self) -> int:
        """Return twice the threads of all workers, or the user's number of jobs."""
        return self.jobs or max(_FEWEST, _AHEAD * self.threads())

    def submit(self, job: Batch) -> None:
        """Submit a job to any worker; Dask moves it to another one if that dies."""
        future = self.client.submit(perform, job, key=f"hipport-{job.site.token}-{job.number}", retries=_RETRIES)
        self._futures[job.number] = future
        future.add_done_callback(lambda _: self._ended.put(job.number))

    def wait(self) -> Ended | None:
        """Return a finished job, or None if none finishes within a second."""
        try:
            number = self._ended.get(timeout=1.0)
        except queue.Empty:
            self._check()
            return None
        future = self._futures.pop(number, None)
        return None if future is None else self._result(number, future)

    def _result(self, number: int, future: Future) -> Ended:
        if future.status == "finished":
            found: Ended = future.result()
            return found
        if future.status == "error":
            return Ended(number, error=f"{_reason(future.exception())}\n")
        raise HipportError("the Dask scheduler dropped the build", hint="Run the same command again to continue.")

    def _check(self) -> None:
        """Raise HipportError if no more results can be expected."""
        if self.client.status == "closed":
            raise HipportError(
                "lost the connection to the Dask scheduler", hint="Run the same command again to continue."
            )
        if self.threads():
            self._alone_since = None
            return
        now = time.monotonic()
        self._alone_since = self._alone_since or now
        if self.patience and now - self._alone_since > self.patience:
            raise HipportError(
                f"no worker for {self.patience:.0f} s",
                hint="Start workers (dask worker ADDRESS), or wait longer: --scheduler-option wait=600.",
            )

    def threads(self) -> int:
        """Return the threads of all workers, refreshed at most once a second."""
        if time.monotonic() - self._asked > 1.0 and self.client.status == "running":
            self._threads = sum(self.client.nthreads().values())
            self._asked = time.monotonic()
        return self._threads

    def cancel(self) -> None:
        """Cancel pending jobs; running ones leave a complete output or none."""
        if self._futures and self.client.status == "running":
            self.client.cancel(list(self._futures.values()))
        self._futures.clear()


def _reason(error: BaseException | None) -> str:
    """Explain why Dask gave up on a job."""
    from distributed import KilledWorker

    if isinstance(error, KilledWorker):
        died = error.allowed_failures + 1
        return f"{died} worker{'s' * (died > 1)} died with it, the last at {error.last_worker.address}"
    return f"{type(error).__name__}: {error}"


@contextlib.contextmanager
def connected(address: str, patience: float, jobs: int | None, security: Security | None = None) -> Iterator[DaskPool]:
    """Connect to the scheduler at an address and yield its pool. Raises `HipportError` if none answers there."""
    if not _ADDRESS.fullmatch(address):
        raise UsageError(
            f"{address!r} is not the address of a Dask scheduler", hint="Addresses look like tcp://HOST:8786."
        )
    try:
        from distributed import Client
    except ImportError:
        raise HipportError("--scheduler needs Dask", hint="pip install 'hipport[dask]'") from None
    quiet()
    try:
        _ask(address)
        client = Client(address, timeout=_REACHED, set_as_default=False, security=security)
    except (OSError, ValueError, RuntimeError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise HipportError(
            f"cannot reach a Dask scheduler at {address}: {reason}",
            hint="Start one with `dask scheduler`; it prints its address, usually tcp://HOST:8786.",
        ) from None
    with client:
        yield DaskPool(client, patience, jobs)


def _ask(address: str) -> None:
    """Raise OSError if no Dask scheduler listens at the address.

    With any other server there, Dask's client would wait forever. Over TCP a scheduler speaks first, with the length
    of its greeting in 8 bytes.
    """
    scheme, _, place = address.rpartition("://")
    if scheme not in ("", "tcp"):
        return
    host, _, port = place.rpartition(":")
    with socket.create_connection((host.strip("[]"), int(port)), timeout=_REACHED) as stream:
        head = stream.recv(8, socket.MSG_WAITALL)
    if len(head) < 8 or int.from_bytes(head, "little") > _GREETING:
        raise OSError("it is not a Dask scheduler")


def quiet() -> None:
    """Stop Dask from logging what hipport already reports."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
