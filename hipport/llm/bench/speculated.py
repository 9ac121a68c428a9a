"""Throughput of speculative decoding of one sequence, with guessed drafts and with drafts from a known text."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hipport.llm.runtime.engine import Engine, Sampling
from hipport.llm.runtime.speculation import Draft, Repetition

_GREEDY = Sampling()


@dataclass(frozen=True, slots=True)
class Speculated:
    """Decoding with drafts of up to `most` tokens.

    `plain_rate`: tokens per second of one step for each token, with the host between steps, as with drafts. `rate` and
    `right_rate`: with drafts from repetitions in the text, and with drafts from the text that plain steps made.
    If `equal`, all made the same tokens, those drafts were all right, and no draft model can be faster.
    """

    most: int
    tokens: int
    plain_rate: float
    rate: float
    drafted: int
    accepted: int
    right_rate: float
    equal: bool


@dataclass(frozen=True, slots=True)
class _Known:
    """Guesses a text that is known."""

    text: Sequence[int]

    def guess(self, tokens: Sequence[int], most: int) -> list[int]:
        return list(self.text[len(tokens) : len(tokens) + most])


@dataclass(frozen=True, slots=True)
class _Made:
    """A generated text, with the number of tokens that were guessed and of those that were right."""

    text: list[int]
    seconds: float
    drafted: int
    accepted: int


def measure_speculation(engine: Engine, prompt: Sequence[int], tokens: int, most: int, repeat: int) -> Speculated:
    """Measure greedy decoding of `tokens` tokens after a prompt. Raises `HipportError`."""
    most = min(most, engine.stats().max_tokens - 1)

    def runs(draft: Callable[[], Draft]) -> tuple[_Made, float]:
        _decoded(engine, prompt, min(tokens, 8), most, draft())
        made = [_decoded(engine, prompt, tokens, most, draft()) for _ in range(repeat)]
        return made[0], tokens / statistics.median(each.seconds for each in made)

    plain, plain_rate = runs(lambda: _Known(()))
    guessed, rate = runs(Repetition)
    right, right_rate = runs(lambda: _Known(plain.text))
    equal = plain.text == guessed.text == right.text
    return Speculated(most, tokens, plain_rate, rate, guessed.drafted, guessed.accepted, right_rate, equal)


def _decoded(engine: Engine, prompt: Sequence[int], tokens: int, most: int, draft: Draft) -> _Made:
    text, drafted, accepted = list(prompt), 0, 0
    engine.reset()
    if prompt[:-1]:
        engine.prefill(prompt[:-1])
    started = time.perf_counter()
    while (left := len(prompt) + tokens - len(text)) > 0:
        guess = draft.guess(text, min(most, left - 1)) if left > 1 else []
        fed = [text[-1], *guess]
        places = range(len(text) - 1, len(text) - 1 + len(fed))
        made, _ = engine.decode_with(fed, places, [0] * len(fed), [_GREEDY] * len(fed))
        right = next((i for i, token in enumerate(guess) if token != made[i]), len(guess))
        text += made[: right + 1]
        drafted, accepted = drafted + len(guess), accepted + right
    return _Made(text, time.perf_counter() - started, drafted, accepted)
