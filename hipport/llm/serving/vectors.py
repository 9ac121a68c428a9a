"""The vectors of prompts."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from hipport.llm.runtime.engine import Logits
from hipport.llm.serving.errors import ApiError
from hipport.llm.serving.jobs import Embedded, Event, Failure, Job
from hipport.llm.serving.scheduler import Scheduler


class Vectors:
    """The vectors of one request's prompts, submitted on creation. Raises `HipportError` if that fails."""

    def __init__(self, scheduler: Scheduler, jobs: Sequence[Job]) -> None:
        self.tokens = sum(len(job.prompt) for job in jobs)
        self._scheduler = scheduler
        self._events: asyncio.Queue[tuple[int, Event]] = asyncio.Queue()
        self._tickets = scheduler.submit(jobs, self._receive, asyncio.get_running_loop())

    async def collected(self) -> list[Logits]:
        """Return the vectors. Raises `ApiError` if the engine fails."""
        found: dict[int, Logits] = {}
        try:
            while len(found) < len(self._tickets):
                number, event = await self._events.get()
                if isinstance(event, Failure):
                    raise ApiError(event.status, event.message, code=event.code)
                assert isinstance(event, Embedded)
                found[number] = event.vector
        finally:
            self._scheduler.cancel(self._tickets)
        return [found[i] for i in range(len(self._tickets))]

    def _receive(self, number: int, event: Event) -> None:
        self._events.put_nowait((number, event))
