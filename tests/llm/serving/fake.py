"""A fake engine without a model: fast, and strict about how it is used."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

import numpy as np

from hipport.errors import HipportError
from hipport.llm.model.config import RANDOM_MODELS
from hipport.llm.runtime.changes import Changes
from hipport.llm.runtime.engine import Logits, Sampling
from hipport.llm.serving.jobs import Job
from hipport.llm.text.vocabulary import Vocabulary

END, PAGE = 7, 32
ENDLESS = 100
CONFIG = replace(RANDOM_MODELS["tiny"], end_tokens=(END,))


class FakeEngine:
    """The next token depends on all tokens before it and on the seed. Wrong use of the cache is detected."""

    config = CONFIG

    def __init__(self, sequences: int, at_once: int, *, seconds: float = 0.0) -> None:
        self.caches: list[list[int]] = [[] for _ in range(sequences)]
        self.at_once = at_once
        self.broken: Exception | None = None
        self.calls: list[tuple[str, int]] = []
        self.seconds = seconds
        self.known: list[list[int]] = []
        self._threads: set[int] = set()

    def prefill(self, tokens: Sequence[int], *, sequence: int, position: int) -> None:
        self._begin("prefill", len(tokens))
        assert tokens
        assert position == len(self.caches[sequence])
        self.caches[sequence] += tokens

    def decode(
        self, tokens: Sequence[int], positions: Sequence[int], sequences: Sequence[int], sampling: Sequence[Sampling]
    ) -> tuple[list[int], None]:
        self._begin("decode", len(tokens))
        assert 0 < len(tokens) == len(set(sequences)) <= self.at_once
        made = []
        for token, position, sequence, how in zip(tokens, positions, sequences, sampling, strict=True):
            assert position <= len(self.caches[sequence])
            self.caches[sequence][position:] = [token]  # what a wrong draft left is overwritten
            made.append(self.next_of(sequence, how))
        return made, None

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
        """Sample greedily from `logits_of`, changed. A sequence may have several tokens."""
        self._begin("decode_with", len(tokens))
        assert len(tokens) <= self.at_once
        assert len(tokens) == len(positions) == len(sequences) == len(sampling) == len(changes)
        made, found = [], []
        for i, (token, position, sequence) in enumerate(zip(tokens, positions, sequences, strict=True)):
            assert position <= len(self.caches[sequence])
            self.caches[sequence][position:] = [token]
            logits = logits_of(self.next_of(sequence, sampling[i]))
            found += [logits.copy()] if i in rows else []
            made.append(int(np.argmax(changed(logits, changes[i]))))
        return made, np.array(found, np.float32)

    def next_of(self, sequence: int, how: Sampling) -> int:
        """Return the likeliest token after a sequence."""
        return following(self.caches[sequence], how.seed)

    def hidden(self, tokens: Sequence[int], *, sequence: int, position: int) -> Logits:
        self.prefill(tokens, sequence=sequence, position=position)
        return np.array([[token, position + i, 1.0] for i, token in enumerate(tokens)], np.float32)

    def reuse(self, tokens: Sequence[int], *, sequence: int) -> int:
        """Reuse whole pages of earlier prompts and answers."""
        assert not self.caches[sequence]
        same = [sum(1 for _ in takewhile(lambda p: p[0] == p[1], zip(old, tokens, strict=False))) for old in self.known]
        reused = max(same, default=0) // PAGE * PAGE
        self.caches[sequence] += tokens[:reused]
        return reused

    def reset(self, sequence: int) -> None:
        self.known.append(self.caches[sequence].copy())
        self.caches[sequence].clear()

    def _begin(self, name: str, tokens: int) -> None:
        self._threads.add(threading.get_ident())
        assert len(self._threads) == 1, "an engine is used by one thread"
        time.sleep(self.seconds)
        if self.broken:
            raise self.broken
        self.calls.append((name, tokens))


class Scripted(FakeEngine):
    """Answers the last question with the text for it in `answers`, else with "Yes."; for the template `PLAIN`."""

    def __init__(self, sequences: int, at_once: int, answers: Mapping[str, str], *, seconds: float = 0.0) -> None:
        super().__init__(sequences, at_once, seconds=seconds)
        self.answers = answers

    def next_of(self, sequence: int, how: Sampling) -> int:
        text = "".join(map(chr, self.caches[sequence]))
        asked, _, made = text.rpartition("\nassistant: ")
        answer = self.answers.get(asked.rpartition("user: ")[2], "Yes.")
        return ord(answer[len(made)]) if len(made) < len(answer) else END


def logits_of(token: int) -> Logits:
    """Return logits whose largest is a token's; those of others decrease with their numbers."""
    logits = np.linspace(1.0, 0.0, CONFIG.vocabulary, dtype=np.float32)
    logits[token] = 5.0
    return logits


def changed(logits: Logits, changes: Changes | None) -> Logits:
    """Return logits with changes."""
    if changes is None:
        return logits
    for token, value in changes.values.items():
        logits[token] += value
    if changes.mask is not None:
        allowed = np.unpackbits(changes.mask.view(np.uint8), bitorder="little")[: len(logits)]
        logits[allowed == 0] = -np.inf
    return logits


def following(tokens: Sequence[int], seed: int) -> int:
    """Return a hash of all tokens. About one in forty ends a text, except with seeds from `ENDLESS` on."""
    number = seed
    for token in tokens:
        number = (number * 31 + token + 1) % 1000003
    return END if number % 41 == 0 and seed < ENDLESS else 65 + number % 26


def alone(job: Job) -> tuple[list[int], str]:
    """Return the tokens of a job and the reason why it ends."""
    tokens = list(job.prompt)
    for _ in range(job.max_tokens):
        tokens.append(following(tokens, job.sampling.seed))
        if tokens[-1] == END:
            return tokens[len(job.prompt) : -1], "stop"
    return tokens[len(job.prompt) :], "length"


class Letters:
    """A tokenizer whose tokens are bytes."""

    def tokens(self, text: str, *, whole: bool = True) -> list[int]:
        return list(text.encode())

    def decoder(self, *, special: bool = False) -> Callable[[int], str]:
        return chr

    def vocabulary(self) -> Vocabulary:
        return Vocabulary([bytes([i]) for i in range(256)], frozenset({END}), self.tokens)

    def pieces(self, tokens: Iterable[int]) -> Iterator[str]:
        return map(chr, tokens)


DEVICE_LOST = HipportError("the engine cannot decode: waiting for the device: it is lost")
