"""Turns the engine's tokens into the text of answers, in the server's event loop."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from hipport.llm.serving.errors import ApiError
from hipport.llm.serving.jobs import Event, Failure, Finish, FinishReason, Job, Ticket, Token
from hipport.llm.serving.scheduler import Scheduler
from hipport.llm.serving.stopping import Stops
from hipport.llm.text.tokenizer import Text

End: TypeAlias = Literal[FinishReason, "cancelled", "error"]
"""The reason why an answer ended: the model's own, `cancelled` if the client left, `error` if the engine failed."""


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of the answer numbered `choice`; the last piece has the reason for its end."""

    choice: int
    text: str
    finish: FinishReason | None = None


class _Choice:
    """An answer in progress."""

    __slots__ = ("decode", "reason", "stops", "text", "ticket", "tokens")

    def __init__(self, ticket: Ticket, decode: Callable[[int], str], stops: Stops) -> None:
        self.ticket = ticket
        self.decode = decode
        self.stops = stops
        self.tokens = 0
        self.text: list[str] = []
        self.reason: End = "cancelled"


class Answers:
    """The answers to one request, submitted to the scheduler on creation. Raises `HipportError` if that fails.

    `first_token` is called with the seconds until the first token.
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
        self._observe_first_token = first_token
        self.first_token_seconds: float | None = None
        tickets = scheduler.submit(jobs, self._send)
        self._open = {i: _Choice(ticket, text.decoder(), Stops(stops)) for i, ticket in enumerate(tickets)}
        self._choices = tuple(self._open.values())

    @property
    def tokens(self) -> int:
        """Number of tokens received so far."""
        return sum(choice.tokens for choice in self._choices)

    @property
    def texts(self) -> list[str]:
        """The texts so far, one per answer."""
        return ["".join(choice.text) for choice in self._choices]

    @property
    def reasons(self) -> list[End]:
        """Return the reason why each answer ended; `cancelled` for those that have not ended."""
        return [choice.reason for choice in self._choices]

    async def deltas(self) -> AsyncIterator[Delta]:
        """Yield pieces of the answers as they come, until all have ended. Raises `ApiError` if the engine fails."""
        while self._open:
            await asyncio.sleep(0)  # lets other tasks run between queued events
            number, event = await self._events.get()
            if number in self._open:  # else an event still in flight after a stop string
                choice = self._open[number]
                delta = self._delta(number, choice, event)
                choice.text.append(delta.text)
                choice.reason = delta.finish or choice.reason
                if delta.text or delta.finish:
                    yield delta

    def cancel(self) -> None:
        """Cancel the answers that have not ended."""
        if self._open:
            self._scheduler.cancel([choice.ticket for choice in self._open.values()])

    def _delta(self, number: int, choice: _Choice, event: Event) -> Delta:
        if isinstance(event, Failure):
            choice.reason = "error"
            raise ApiError(503, event.message) if event.closed else ApiError(500, event.message, code="engine_error")
        if isinstance(event, Finish):
            del self._open[number]
            return Delta(number, choice.stops.rest(), event.reason)
        return self._written(number, choice, event)

    def _written(self, number: int, choice: _Choice, token: Token) -> Delta:
        if not self.tokens:
            self.first_token_seconds = time.perf_counter() - self._started
            self._observe_first_token(self.first_token_seconds)
        choice.tokens += 1
        text, stopped = choice.stops.feed(choice.decode(token.number))
        if stopped:
            del self._open[number]
            self._scheduler.cancel([choice.ticket])
        return Delta(number, text, "stop" if stopped else None)

    def _send(self, number: int, event: Event) -> None:
        """Queue an event from the engine's thread; at shutdown the loop may already be closed."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._events.put_nowait, (number, event))
