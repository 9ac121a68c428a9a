"""The sequences that the engine works on: prefill in pieces, alternating with batched decoding."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from hipport.errors import HipportError
from hipport.llm.model.config import ModelConfig
from hipport.llm.runtime.engine import Sampling
from hipport.llm.serving.jobs import Event, Failure, Finish, Ticket, Token

_PIECE_SECONDS = 0.1
_SMALLEST_PIECE, _LARGEST_PIECE = 8, 1024

_log = logging.getLogger(__name__)


class Steps(Protocol):
    """The part of an engine that a batch needs."""

    @property
    def config(self) -> ModelConfig: ...

    def prefill(self, tokens: Sequence[int], *, sequence: int, position: int) -> Any:
        """Write the keys and values of tokens from `position` on."""

    def decode(
        self, tokens: Sequence[int], positions: Sequence[int], sequences: Sequence[int], sampling: Sequence[Sampling]
    ) -> tuple[list[int], Any]:
        """Return the next tokens of sequences."""

    def reset(self, sequence: int) -> None:
        """Discard the cache and tokens of a sequence."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Totals of a batch, and the engine's error if its last call failed."""

    prompt_tokens: int = 0
    tokens: int = 0
    steps: int = 0
    failure: str | None = None


class _Active:
    """A sequence with a slot in the engine: `position` tokens are in its cache, `token` is the next to go there."""

    __slots__ = ("made", "position", "sequence", "ticket", "token")

    def __init__(self, ticket: Ticket, sequence: int) -> None:
        self.ticket = ticket
        self.sequence = sequence
        self.position = 0
        self.token = ticket.job.prompt[-1]
        self.made = 0

    @property
    def missing(self) -> tuple[int, ...]:
        """Prompt tokens to prefill that are not in the cache yet. The prompt's last token is decoded instead."""
        return self.ticket.job.prompt[self.position : -1]


class Batch:
    """A batch, used by one thread. Errors of the engine are not raised but sent to the jobs that they affect."""

    def __init__(
        self, engine: Steps, sequences: int, at_once: int, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._engine = engine
        self._at_once = at_once
        self._clock = clock
        self._free = list(reversed(range(sequences)))
        self._reading: deque[_Active] = deque()
        self._decoding: deque[_Active] = deque()
        self._piece = _SMALLEST_PIECE
        self.counts = Counts()

    def __len__(self) -> int:
        return len(self._reading) + len(self._decoding)

    @property
    def room(self) -> int:
        """Number of sequences that can be admitted."""
        return len(self._free)

    def admit(self, ticket: Ticket) -> None:
        """Give a job a slot in the engine; there must be room."""
        active = _Active(ticket, self._free.pop())
        (self._reading if active.missing else self._decoding).append(active)

    def round(self) -> None:
        """Prefill a piece of one prompt, then run a step of as many sequences as the engine takes at once."""
        for active in [*self._reading, *self._decoding]:
            if active.ticket.cancelled:
                self._leave(active, None)
        if self._reading:
            self._read(self._reading[0])
        if self._decoding:
            self._step([self._decoding[i] for i in range(min(self._at_once, len(self._decoding)))])

    def end(self, event: Event) -> None:
        """End all sequences with an event."""
        for active in [*self._reading, *self._decoding]:
            self._leave(active, event)

    def _read(self, active: _Active) -> None:
        piece = active.missing[: self._piece]
        started = self._clock()
        if not self._tried([active], self._engine.prefill, piece, sequence=active.sequence, position=active.position):
            return
        seconds = self._clock() - started
        if len(piece) == self._piece:  # only full pieces show how large the next may be
            fitting = int(len(piece) * _PIECE_SECONDS / max(seconds, 1e-6)) // _SMALLEST_PIECE * _SMALLEST_PIECE
            self._piece = min(max(fitting, _SMALLEST_PIECE), _LARGEST_PIECE)
        self._count(prompt_tokens=len(piece))
        active.position += len(piece)
        if not active.missing:
            self._reading.remove(active)
            self._decoding.append(active)

    def _step(self, some: list[_Active]) -> None:
        """Decode one token of each sequence, and move them to the end of the queue."""
        columns = ([active.token for active in some], [active.position for active in some])
        sampling = [active.ticket.job.sampling for active in some]
        made = self._tried(some, self._engine.decode, *columns, [active.sequence for active in some], sampling)
        if not made:
            return
        self._decoding.rotate(-len(some))
        self._count(tokens=len(some), steps=1)
        for active, token in zip(some, made[0][0], strict=True):
            self._take(active, token)

    def _take(self, active: _Active, token: int) -> None:
        if token in self._engine.config.end_tokens:
            self._leave(active, Finish("stop"))
            return
        active.ticket.send(Token(token))
        active.token = token
        active.position += 1
        active.made += 1
        if active.made == active.ticket.job.max_tokens:
            self._leave(active, Finish("length"))

    def _tried(self, some: list[_Active], call: Any, *arguments: Any, **named: Any) -> tuple[Any] | None:
        """Call the engine and return the result in a tuple; if it fails, end the given sequences and return None."""
        try:
            result = call(*arguments, **named)
        except Exception as error:
            if not isinstance(error, HipportError):
                _log.exception("unexpected failure of the engine")
            self._count(failure=str(error) or type(error).__name__)
            for active in some:
                self._leave(active, Failure(self.counts.failure or ""))
            return None
        self._count()
        return (result,)

    def _leave(self, active: _Active, event: Event | None) -> None:
        """Free a sequence's slot. If the engine fails here too, the next sequence in the slot will get the error."""
        (self._reading if active in self._reading else self._decoding).remove(active)
        try:
            self._engine.reset(active.sequence)
        except HipportError as error:
            self._count(failure=str(error))
        self._free.append(active.sequence)
        if event is not None:
            active.ticket.send(event)

    def _count(self, prompt_tokens: int = 0, tokens: int = 0, steps: int = 0, failure: str | None = None) -> None:
        old = self.counts
        self.counts = Counts(old.prompt_tokens + prompt_tokens, old.tokens + tokens, old.steps + steps, failure)
