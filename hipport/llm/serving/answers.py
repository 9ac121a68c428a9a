"""Turns the engine's tokens into the text of answers, in the server's event loop."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from hipport.llm.serving.errors import ApiError
from hipport.llm.serving.jobs import Event, Failure, Finish, FinishReason, Job, Ticket, Token
from hipport.llm.serving.scheduler import Scheduler
from hipport.llm.serving.stopping import Stops
from hipport.llm.serving.tool_formats import Call, ToolFormat, ToolReader
from hipport.llm.text.tokenizer import Text

End: TypeAlias = Literal[FinishReason, "cancelled", "error"]
"""The reason why an answer ended: the model's own, `cancelled` if the client left, `error` if the engine failed."""


@dataclass(frozen=True, slots=True)
class Questions:
    """The jobs of one request, and how their tokens become text.

    `echoes`: what each answer begins with. `tools`: the format of calls in the answers.
    """

    jobs: Sequence[Job]
    stops: Sequence[str] = ()
    echoes: Sequence[str] = ()
    tools: ToolFormat | None = None


@dataclass(frozen=True, slots=True)
class MadeCall:
    """The call of a tool numbered `index` in an answer."""

    index: int
    id: str
    call: Call


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of the answer numbered `choice`; the last piece has the reason for its end.

    `tokens`: those with log probabilities that came since the last piece.
    """

    choice: int
    text: str
    finish: FinishReason | None = None
    tokens: tuple[Token, ...] = ()
    calls: tuple[MadeCall, ...] = ()


class _Choice:
    """An answer in progress."""

    __slots__ = ("calls", "decode", "echo", "new_tokens", "reader", "reason", "stops", "text", "ticket", "tokens")

    def __init__(self, ticket: Ticket, decode: Callable[[int], str], asked: Questions, echo: str) -> None:
        self.ticket = ticket
        self.decode = decode
        self.stops = Stops(asked.stops)
        self.reader = ToolReader(asked.tools) if asked.tools else None
        self.echo = echo
        self.calls = 0
        self.tokens = 0
        self.new_tokens: list[Token] = []
        self.text: list[str] = []
        self.reason: End = "cancelled"

    def delta(self, number: int, text: str, finish: FinishReason | None) -> Delta:
        """Return the next piece: separate calls from the text, and add what was kept for it."""
        calls: list[Call] = []
        if self.reader:
            text, calls = self.reader.feed(text)
            if finish:
                more, last = self.reader.rest()
                text, calls = text + more, [*calls, *last]
            finish = "tool_calls" if finish == "stop" and self.reader.found else finish
        text, self.echo = self.echo + text, ""
        made = tuple(MadeCall(self.calls + i, f"call_{uuid.uuid4().hex[:24]}", call) for i, call in enumerate(calls))
        self.calls += len(made)
        if not (text or finish or made):
            return Delta(number, "")
        tokens, self.new_tokens = tuple(self.new_tokens), []
        return Delta(number, text, finish, tokens, made)


class Answers:
    """The answers to one request, submitted to the scheduler on creation. Raises `HipportError` if that fails.

    `first_token` is called with the seconds until the first token.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        text: Text,
        asked: Questions,
        first_token: Callable[[float], None] = lambda seconds: None,
    ) -> None:
        self.prompt_tokens = sum(len(job.prompt) for job in asked.jobs)
        self._scheduler = scheduler
        self._events: asyncio.Queue[tuple[int, Event]] = asyncio.Queue()
        self._started = time.perf_counter()
        self._observe_first_token = first_token
        self.first_token_seconds: float | None = None
        tickets = scheduler.submit(asked.jobs, self._receive, asyncio.get_running_loop())
        echoes = asked.echoes or [""] * len(tickets)
        self._open = {
            i: _Choice(ticket, text.decoder(special=asked.tools is not None), asked, echoes[i])
            for i, ticket in enumerate(tickets)
        }
        self._choices = tuple(self._open.values())

    @property
    def tokens(self) -> int:
        """Number of tokens received so far."""
        return sum(choice.tokens for choice in self._choices)

    @property
    def reused_tokens(self) -> int:
        """Number of tokens of prompts that were in the cache, known when the answers have begun."""
        return sum(choice.ticket.reused for choice in self._choices)

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
                if delta.text or delta.finish or delta.calls:
                    yield delta

    def cancel(self) -> None:
        """Cancel the answers that have not ended."""
        if self._open:
            self._scheduler.cancel([choice.ticket for choice in self._open.values()])

    def _delta(self, number: int, choice: _Choice, event: Event) -> Delta:
        if isinstance(event, Failure):
            choice.reason = "error"
            raise ApiError(event.status, event.message, code=event.code)
        if isinstance(event, Finish):
            del self._open[number]
            return choice.delta(number, choice.stops.rest(), event.reason)
        assert isinstance(event, Token)  # prompts to embed go another way
        return self._written(number, choice, event)

    def _written(self, number: int, choice: _Choice, token: Token) -> Delta:
        if not self.tokens:
            self.first_token_seconds = time.perf_counter() - self._started
            self._observe_first_token(self.first_token_seconds)
        choice.tokens += 1
        if token.logprobs is not None:
            choice.new_tokens.append(token)
        text, stopped = choice.stops.feed(choice.decode(token.number))
        if stopped:
            del self._open[number]
            self._scheduler.cancel([choice.ticket])
        return choice.delta(number, text, "stop" if stopped else None)

    def _receive(self, number: int, event: Event) -> None:
        self._events.put_nowait((number, event))
