"""From the engine's tokens to the text of answers, in the server's loop."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass

from hipport.llm.serving.errors import ApiError
from hipport.llm.serving.jobs import Event, Failure, Finish, FinishReason, Job, Ticket, Token
from hipport.llm.serving.scheduler import Scheduler
from hipport.llm.serving.stopping import Stops
from hipport.llm.text import Text


@dataclass(frozen=True, slots=True)
class Delta:
    """More of an answer, by its number; with its last, why it ended."""

    choice: int
    text: str
    finish: FinishReason | None = None


class _Choice:
    """An answer that is being written."""

    __slots__ = ("decode", "stops", "ticket", "tokens")

    def __init__(self, ticket: Ticket, decode: Callable[[int], str], stops: Stops) -> None:
        self.ticket = ticket
        self.decode = decode
        self.stops = stops
        self.tokens = 0


class Answers:
    """The answers to one request, which the scheduler works on from here on. Raises `HipportError` as it does.

    `first_token` is told the seconds until the first token.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        text: Text,
        jobs: Sequence[Job],
        stops: Sequence[str] = (),
        first_token: Callable[[float], None] = lambda seconds: None,
    ) -> None:
        self.prompt_tokens = sum(len(job.prompt) for job in jobs)
        self._scheduler = scheduler
        self._events: asyncio.Queue[tuple[int, Event]] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._started = time.perf_counter()
        self._first_token = first_token
        tickets = scheduler.submit(jobs, self._send)
        self._open = {i: _Choice(ticket, text.decoder(), Stops(stops)) for i, ticket in enumerate(tickets)}
        self._choices = tuple(self._open.values())

    @property
    def tokens(self) -> int:
        """So many have come."""
        return sum(choice.tokens for choice in self._choices)

    async def deltas(self) -> AsyncIterator[Delta]:
        """The answers' texts as they come, until all have ended. Raises `ApiError` where the engine failed."""
        while self._open:
            await asyncio.sleep(0)  # where many events have come, others have their turn between
            number, event = await self._events.get()
            if number in self._open:  # else what was still on its way behind a stop string
                delta = self._delta(number, self._open[number], event)
                if delta.text or delta.finish:
                    yield delta

    def cancel(self) -> None:
        """Give up what has not ended."""
        if self._open:
            self._scheduler.cancel([choice.ticket for choice in self._open.values()])

    def _delta(self, number: int, choice: _Choice, event: Event) -> Delta:
        if isinstance(event, Failure):
            raise ApiError(503, event.message) if event.closed else ApiError(500, event.message, code="engine_error")
        if isinstance(event, Finish):
            del self._open[number]
            return Delta(number, choice.stops.rest(), event.reason)
        return self._written(number, choice, event)

    def _written(self, number: int, choice: _Choice, token: Token) -> Delta:
        if not self.tokens:
            self._first_token(time.perf_counter() - self._started)
        choice.tokens += 1
        text, stopped = choice.stops.feed(choice.decode(token.number))
        if stopped:
            del self._open[number]
            self._scheduler.cancel([choice.ticket])
        return Delta(number, text, "stop" if stopped else None)

    def _send(self, number: int, event: Event) -> None:
        """Called by the engine's thread, at the end maybe after the loop."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._events.put_nowait, (number, event))
