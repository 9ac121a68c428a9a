"""Jobs for the engine, and the events that they produce."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from hipport.llm.runtime.engine import Sampling

FinishReason: TypeAlias = Literal["stop", "length"]


@dataclass(frozen=True, slots=True)
class Job:
    """A prompt of at least one token, to be continued by up to `max_tokens`."""

    prompt: tuple[int, ...]
    max_tokens: int
    sampling: Sampling


@dataclass(frozen=True, slots=True)
class Token:
    """The next token of an answer."""

    number: int


@dataclass(frozen=True, slots=True)
class Finish:
    """The last event of a complete answer: an end token came, or the maximum length was reached."""

    reason: FinishReason


@dataclass(frozen=True, slots=True)
class Failure:
    """The last event of an incomplete answer. `closed`: the server is shutting down; the engine did not fail."""

    message: str
    closed: bool = False


Event: TypeAlias = Token | Finish | Failure


class Ticket:
    """A submitted job. `send` gets its events, in the engine's thread; after cancellation none are guaranteed."""

    __slots__ = ("cancelled", "job", "send")

    def __init__(self, job: Job, send: Callable[[Event], None]) -> None:
        self.job = job
        self.send = send
        self.cancelled = False
