"""Continuous batching: one thread owns the engine; others submit jobs through a bounded queue."""

from __future__ import annotations

import threading
from asyncio import AbstractEventLoop
from collections import deque
from collections.abc import Sequence

from hipport.errors import HipportError
from hipport.llm.serving.batch import Batch, Counts, Speculation, Steps
from hipport.llm.serving.deliveries import Deliveries, Receive
from hipport.llm.serving.jobs import Failure, Job, Ticket

_CLOSED = Failure("the server is shutting down", 503, None)


class QueueFull(HipportError):
    """Raised when the queue has no room for more jobs."""


class Scheduler:
    """Runs the engine in its own thread. The methods can be called from any thread."""

    def __init__(
        self, engine: Steps, *, sequences: int, at_once: int, queue: int, speculation: Speculation | None = None
    ) -> None:
        self.queue = queue
        self._batch = Batch(engine, sequences, at_once, speculation=speculation)
        self._waiting: deque[Ticket] = deque()
        self._deliveries = Deliveries()
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="hipport-engine", daemon=True)
        self._thread.start()

    def submit(self, jobs: Sequence[Job], receive: Receive, loop: AbstractEventLoop | None = None) -> list[Ticket]:
        """Submit jobs, all or none. `receive` gets a job's number and event, in the loop or the engine's thread.

        Raises `QueueFull`, and `HipportError` once the scheduler is closed.
        """
        tickets = [Ticket(job, self._deliveries.to(receive, i, loop)) for i, job in enumerate(jobs)]
        with self._changed:
            if self._closed:
                raise HipportError(_CLOSED.message)
            if len(self._waiting) + len(tickets) > self.queue + self._batch.room:
                raise QueueFull(f"the queue is full: {len(self._waiting)} of {self.queue} answers are waiting")
            self._waiting.extend(tickets)
            self._changed.notify()
        return tickets

    def cancel(self, tickets: Sequence[Ticket]) -> None:
        """Cancel jobs; finished ones are unaffected."""
        with self._changed:
            for ticket in tickets:
                ticket.cancelled = True
            self._waiting = deque(ticket for ticket in self._waiting if not ticket.cancelled)

    def close(self) -> None:
        """End all jobs with a failure and wait for the engine's last step. Idempotent."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()

    @property
    def waiting(self) -> int:
        """Number of jobs in the queue."""
        return len(self._waiting)

    @property
    def running(self) -> int:
        """Number of jobs with a slot in the engine."""
        return len(self._batch)

    @property
    def counts(self) -> Counts:
        return self._batch.counts

    def _run(self) -> None:
        while self._admitted():
            self._batch.round()
            self._deliveries.deliver()
        with self._changed:
            waiting, self._waiting = self._waiting, deque()
        for ticket in waiting:
            ticket.send(_CLOSED)
        self._batch.end(_CLOSED)
        self._deliveries.deliver()

    def _admitted(self) -> bool:
        """Wait until there is work and fill the batch from the queue; return False once the scheduler is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._waiting or len(self._batch))
            while self._waiting and self._batch.room and not self._closed:
                self._batch.admit(self._waiting.popleft())
            return not self._closed
