"""What a request asks of the engine, and what comes back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from hipport.llm.inference import Sampling

FinishReason: TypeAlias = Literal["stop", "length"]


@dataclass(frozen=True, slots=True)
class Job:
    """A prompt of one token or more, and how it is continued by up to `max_tokens`."""

    prompt: tuple[int, ...]
    max_tokens: int
    sampling: Sampling


@dataclass(frozen=True, slots=True)
class Token:
    """The next token of an answer."""

    number: int


@dataclass(frozen=True, slots=True)
class Finish:
    """The last event of an answer that came to its end: a token that ends texts, or as many as were asked for."""

    reason: FinishReason


@dataclass(frozen=True, slots=True)
class Failure:
    """The last event of an answer that did not. `closed`: since the server ends, not since the engine failed."""

    message: str
    closed: bool = False


Event: TypeAlias = Token | Finish | Failure


class Ticket:
    """A job on its way. `send` gets its events, in the engine's thread; after a cancellation none are due."""

    __slots__ = ("cancelled", "job", "send")

    def __init__(self, job: Job, send: Callable[[Event], None]) -> None:
        self.job = job
        self.send = send
        self.cancelled = False
