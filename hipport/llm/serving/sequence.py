"""A sequence with a slot in the engine."""

from __future__ import annotations

import numpy as np

from hipport.llm.runtime.changes import Changes
from hipport.llm.runtime.engine import Logits
from hipport.llm.runtime.speculation import Draft
from hipport.llm.serving.jobs import PLAIN, Controls, Pooling, Ticket
from hipport.llm.serving.steering import Steering


class Active:
    """A job in progress: `position` tokens are in the engine's cache, the last of `text` is the next to go there."""

    __slots__ = ("changes", "draft", "drafter", "made", "pool", "position", "sequence", "steering", "text", "ticket")

    def __init__(self, ticket: Ticket, sequence: int) -> None:
        job = ticket.job
        self.ticket = ticket
        self.sequence = sequence
        self.position = 0
        self.made = 0
        self.text = list(job.prompt)
        self.pool = Pool(job.pooling) if job.pooling else None
        self.steering = Steering(job.controls) if _steers(job.controls) else None
        self.changes: Changes | None = None
        self.drafter: Draft | None = None
        self.draft: list[int] = []

    @property
    def missing(self) -> list[int]:
        """Prompt tokens to prefill that are not in the cache yet. The prompt's last token is decoded instead."""
        prompt = self.ticket.job.prompt
        return list(prompt[self.position :] if self.pool else prompt[self.position : -1])

    @property
    def next_tokens(self) -> list[int]:
        """The tokens of the next step: the text's last one and the draft."""
        return [self.text[-1], *self.draft]

    @property
    def left(self) -> int:
        """The number of tokens that the answer may still have."""
        return self.ticket.job.max_tokens - self.made

    @property
    def logprobs(self) -> int | None:
        return self.ticket.job.controls.logprobs

    @property
    def is_greedy(self) -> bool:
        """Whether the next token is the likeliest one, whatever came before: then a draft can be checked."""
        sampling = self.ticket.job.sampling
        plain = self.steering is None and self.logprobs is None and sampling.repetition_penalty == 1.0
        return plain and (sampling.temperature == 0.0 or sampling.top_k == 1)

    def went_on(self, token: int) -> None:
        """Continue the text with a token; the one before it has gone into the cache."""
        self.text.append(token)
        self.position += 1
        self.made += 1


class Pool:
    """The vector of a prompt: the output of the last layer for its last token, or the mean of all, of length one."""

    __slots__ = ("_kind", "_sum")

    def __init__(self, kind: Pooling) -> None:
        self._kind = kind
        self._sum: Logits | None = None

    def add(self, hidden: Logits) -> None:
        """Add the output for the next tokens, (tokens, width)."""
        own = hidden[-1] if self._kind == "last" else hidden.sum(axis=0)
        self._sum = own if self._sum is None or self._kind == "last" else self._sum + own

    def vector(self) -> Logits:
        """Return the vector."""
        assert self._sum is not None
        length = float(np.linalg.norm(self._sum))
        return self._sum / np.float32(length) if length > 0 else self._sum


def _steers(controls: Controls) -> bool:
    return controls != PLAIN and bool(
        controls.bias or controls.presence or controls.frequency or controls.grammar is not None
    )
