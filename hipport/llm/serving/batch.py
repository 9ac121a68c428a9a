"""The sequences that the engine works on: prefill in pieces, alternating with batched decoding."""

from __future__ import annotations

import itertools
import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from hipport.errors import HipportError
from hipport.llm.guided.compiling import GrammarError
from hipport.llm.model.config import ModelConfig
from hipport.llm.runtime.changes import Changes
from hipport.llm.runtime.engine import Logits, Sampling
from hipport.llm.runtime.speculation import Draft
from hipport.llm.serving.jobs import Embedded, Event, Failure, Finish, Ticket, Token
from hipport.llm.serving.sequence import Active
from hipport.llm.serving.steering import logprobs_of

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

    def decode_with(
        self,
        tokens: Sequence[int],
        positions: Sequence[int],
        sequences: Sequence[int],
        sampling: Sequence[Sampling],
        *,
        changes: Sequence[Changes | None],
        rows: Sequence[int],
    ) -> tuple[list[int], Logits]:
        """Return the next tokens after changes of the logits, and the unchanged logits of some."""

    def hidden(self, tokens: Sequence[int], *, sequence: int, position: int) -> Logits:
        """Write the keys and values of tokens; return the last layer's output."""

    def reuse(self, tokens: Sequence[int], *, sequence: int) -> int:
        """Return for how many of these tokens the empty sequence has got keys and values from others."""

    def reset(self, sequence: int) -> None:
        """Discard the cache and tokens of a sequence."""


class Speculation(Protocol):
    """Makes drafts for the sequences of an engine, of up to `tokens` tokens in a step."""

    @property
    def tokens(self) -> int: ...

    def draft(self, sequence: int) -> Draft:
        """Return a draft for the text that begins in a sequence."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Totals of a batch, and the engine's error if its last call failed.

    `reused_tokens`: tokens of prompts whose keys and values were in the cache. `accepted_tokens`: of `drafted_tokens`.
    """

    prompt_tokens: int = 0
    reused_tokens: int = 0
    tokens: int = 0
    steps: int = 0
    drafted_tokens: int = 0
    accepted_tokens: int = 0
    failure: str | None = None


class Batch:
    """A batch, used by one thread. Errors of the engine are not raised but sent to the jobs that they affect."""

    def __init__(
        self,
        engine: Steps,
        sequences: int,
        at_once: int,
        clock: Callable[[], float] = time.perf_counter,
        speculation: Speculation | None = None,
    ) -> None:
        self._engine = engine
        self._at_once = at_once
        self._clock = clock
        self._speculation = speculation
        self._free = list(reversed(range(sequences)))
        self._reading: deque[Active] = deque()
        self._decoding: deque[Active] = deque()
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
        active = Active(ticket, self._free.pop())
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

    def _read(self, active: Active) -> None:
        if not self._reused(active):
            return
        piece = active.missing[: self._piece]
        started = self._clock()
        call = self._engine.hidden if active.pool else self._engine.prefill
        done = self._tried([active], call, piece, sequence=active.sequence, position=active.position)
        if not done:
            return
        seconds = self._clock() - started
        if len(piece) == self._piece:  # only full pieces show how large the next may be
            fitting = int(len(piece) * _PIECE_SECONDS / max(seconds, 1e-6)) // _SMALLEST_PIECE * _SMALLEST_PIECE
            self._piece = min(max(fitting, _SMALLEST_PIECE), _LARGEST_PIECE)
        self._count(prompt_tokens=len(piece))
        active.position += len(piece)
        if active.pool:
            active.pool.add(done[0])
        if not active.missing:
            self._prompt_is_read(active)

    def _reused(self, active: Active) -> bool:
        """Take from the cache what it has of a new prompt; return whether something is left to prefill."""
        if active.position or active.pool:
            return True
        reused = self._tried([active], self._engine.reuse, active.missing, sequence=active.sequence)
        if not reused:
            return False
        self._count(reused_tokens=reused[0])
        active.position = active.ticket.reused = reused[0]
        if not active.missing:
            self._prompt_is_read(active)
        return bool(active.missing)

    def _prompt_is_read(self, active: Active) -> None:
        if active.pool:
            self._leave(active, Embedded(active.pool.vector()))
            return
        self._reading.remove(active)
        self._decoding.append(active)

    def _step(self, some: list[Active]) -> None:
        """Decode one token of each sequence, or several where drafts are right; move them to the end of the queue."""
        if not (some := self._prepared(some)):
            return
        texts = [active.next_tokens for active in some]
        owners = [active for active, text in zip(some, texts, strict=True) for _ in text]
        columns = (
            [token for text in texts for token in text],
            [active.position + i for active, text in zip(some, texts, strict=True) for i in range(len(text))],
            [active.sequence for active in owners],
            [active.ticket.job.sampling for active in owners],
        )
        rows = [i for i, active in enumerate(owners) if active.logprobs is not None]
        changes = [active.changes for active in owners]
        if rows or any(changes) or len(owners) > len(some):
            made = self._tried(some, self._engine.decode_with, *columns, changes=changes, rows=rows)
        else:
            made = self._tried(some, self._engine.decode, *columns)
        if not made:
            return
        self._decoding.rotate(-len(some))
        tokens, logits = made[0]
        logits_of = dict(zip(rows, logits if rows else (), strict=True))
        firsts = [0, *itertools.accumulate(map(len, texts))]
        taken = [
            self._right(active, text, tokens[first : first + len(text)])
            for active, text, first in zip(some, texts, firsts, strict=False)
        ]
        count = sum(map(len, taken))
        self._count(steps=1, tokens=count, accepted_tokens=count - len(some))
        for active, right, first in zip(some, taken, firsts, strict=False):
            for token in right:
                if not self._take(active, token, logits_of.get(first)):
                    break

    def _right(self, active: Active, fed: Sequence[int], made: Sequence[int]) -> Sequence[int]:
        """Return the tokens made after those that were fed: the first, and others as long as the draft was right."""
        count = 1
        while count < len(made) and made[count - 1] == fed[count] and not self._ends(active, made[count - 1]):
            count += 1
        return made[:count]

    def _prepared(self, some: list[Active]) -> list[Active]:
        """Make changes of logits and drafts for the next step; return the sequences without those that failed."""
        room = self._at_once - len(some)
        ready = []
        for active in some:
            try:
                active.changes = active.steering.changes() if active.steering else None
                room -= self._drafted(active, room)
            except HipportError as error:
                self._leave(active, _failure_of(error))
                continue
            ready.append(active)
        return ready

    def _drafted(self, active: Active, room: int) -> int:
        """Make a draft for the next step, as far as there is room; return its length."""
        active.draft = []
        if self._speculation is None or not active.is_greedy:
            return 0
        if active.drafter is None:
            active.drafter = self._speculation.draft(active.sequence)
        most = min(self._speculation.tokens, room, active.left - 1)
        active.draft = active.drafter.guess(active.text, most) if most > 0 else []
        if active.draft:
            self._count(drafted_tokens=len(active.draft))
        return len(active.draft)

    def _ends(self, active: Active, token: int) -> bool:
        return token in self._engine.config.end_tokens and not active.ticket.job.controls.ignore_end

    def _take(self, active: Active, token: int, logits: Logits | None) -> bool:
        """Take a token of an answer; return whether the answer goes on."""
        if self._ends(active, token):
            self._leave(active, Finish("stop"))
            return False
        logprobs = None if logits is None else logprobs_of(token, logits, active.logprobs or 0)
        try:
            complete = active.steering is not None and active.steering.took(token)
        except GrammarError as error:
            self._leave(active, _failure_of(error))
            return False
        active.ticket.send(Token(token, logprobs))
        active.went_on(token)
        if complete or not active.left:
            self._leave(active, Finish("stop" if complete else "length"))
            return False
        return True

    def _tried(self, some: list[Active], call: Any, *arguments: Any, **named: Any) -> tuple[Any] | None:
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

    def _leave(self, active: Active, event: Event | None) -> None:
        """Free a sequence's slot. If the engine fails here too, the next sequence in the slot will get the error."""
        (self._reading if active in self._reading else self._decoding).remove(active)
        try:
            self._engine.reset(active.sequence)
        except HipportError as error:
            self._count(failure=str(error))
        self._free.append(active.sequence)
        if event is not None:
            active.ticket.send(event)

    def _count(self, *, failure: str | None = None, **more: int) -> None:
        """Add to the totals; without a failure the engine's last call has succeeded."""
        totals = {name: getattr(self.counts, name) + count for name, count in more.items()}
        self.counts = replace(self.counts, failure=failure, **totals)


def _failure_of(error: HipportError) -> Failure:
    if isinstance(error, GrammarError):
        return Failure(str(error), 400, "grammar_failed")
    return Failure(str(error))
