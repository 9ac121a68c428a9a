"""A fake engine without a model: fast, and strict about how it is used."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from hipport.errors import HipportError
from hipport.llm.model.config import RANDOM_MODELS
from hipport.llm.runtime.engine import Sampling
from hipport.llm.serving.jobs import Job

END = 7
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
            assert position == len(self.caches[sequence])
            self.caches[sequence].append(token)
            made.append(following(self.caches[sequence], how.seed))
        return made, None

    def reset(self, sequence: int) -> None:
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

    def decode(
        self, tokens: Sequence[int], positions: Sequence[int], sequences: Sequence[int], sampling: Sequence[Sampling]
    ) -> tuple[list[int], None]:
        super().decode(tokens, positions, sequences, sampling)
        return [self._next("".join(map(chr, self.caches[sequence]))) for sequence in sequences], None

    def _next(self, text: str) -> int:
        asked, _, made = text.rpartition("\nassistant: ")
        answer = self.answers.get(asked.rpartition("user: ")[2], "Yes.")
        return ord(answer[len(made)]) if len(made) < len(answer) else END


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

    def decoder(self) -> Callable[[int], str]:
        return chr

    def pieces(self, tokens: Iterable[int]) -> Iterator[str]:
        return map(chr, tokens)


DEVICE_LOST = HipportError("the engine cannot decode: waiting for the device: it is lost")
