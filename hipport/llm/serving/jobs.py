"""Jobs for the engine, and the events that they produce."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from hipport.llm.guided.grammar import Grammar
from hipport.llm.runtime.engine import Logits, Sampling

FinishReason: TypeAlias = Literal["stop", "length", "tool_calls"]
Pooling: TypeAlias = Literal["last", "mean"]


@dataclass(frozen=True, slots=True)
class Controls:
    """How the logits of an answer are changed, and what is returned of them.

    `bias` is added to the logits of tokens. `presence` is subtracted from those of tokens that the answer has,
    `frequency` as often as it has them. `grammar`: what the answer must match. `logprobs`: for how many of the
    likeliest tokens log probabilities are returned besides the own one; None: none at all. `ignore_end`: end tokens do
    not end the answer.
    """

    bias: Mapping[int, float] = field(default_factory=dict)
    presence: float = 0.0
    frequency: float = 0.0
    grammar: Grammar | None = None
    logprobs: int | None = None
    ignore_end: bool = False


PLAIN = Controls()


@dataclass(frozen=True, slots=True)
class Job:
    """A prompt of at least one token, to be continued by up to `max_tokens`; or with `pooling`, to be embedded."""

    prompt: tuple[int, ...]
    max_tokens: int
    sampling: Sampling
    controls: Controls = PLAIN
    pooling: Pooling | None = None


@dataclass(frozen=True, slots=True)
class Logprobs:
    """The log probability of a token, and the likeliest tokens with theirs."""

    own: float
    top: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class Token:
    """The next token of an answer."""

    number: int
    logprobs: Logprobs | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Embedded:
    """The only event of a job with `pooling`: the vector of the prompt."""

    vector: Logits


@dataclass(frozen=True, slots=True)
class Finish:
    """The last event of a complete answer: an end token came, or the maximum length was reached."""

    reason: FinishReason


@dataclass(frozen=True, slots=True)
class Failure:
    """The last event of an incomplete answer, with the HTTP status: 500 if the engine failed."""

    message: str
    status: int = 500
    code: str | None = "engine_error"


Event: TypeAlias = Token | Finish | Failure | Embedded


class Ticket:
    """A submitted job. `send` takes its events, in the engine's thread; after cancellation none are guaranteed.

    `reused`: tokens of its prompt that were in the cache.
    """

    __slots__ = ("cancelled", "job", "reused", "send")

    def __init__(self, job: Job, send: Callable[[Event], None]) -> None:
        self.job = job
        self.send = send
        self.cancelled = False
        self.reused = 0
