"""The perplexity of a text: how well a model predicts each of its tokens from those before it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from hipport.errors import HipportError
from hipport.llm.runtime.engine import Engine, Logits, Sampling

Doubles: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Window:
    """The tokens from `first` to `last` (exclusive), of which those from `scored` on are predicted."""

    first: int
    scored: int
    last: int


@dataclass(frozen=True, slots=True)
class Perplexity:
    """The perplexity of `tokens` predicted tokens: the exponential of `loss`, their mean negative log-likelihood.

    `loss_error` is the standard error of the mean, as if tokens were independent.
    """

    tokens: int
    windows: int
    loss: float
    loss_error: float

    @property
    def value(self) -> float:
        return math.exp(self.loss)

    @property
    def error(self) -> float:
        return self.value * self.loss_error


def windows(count: int, length: int, stride: int) -> tuple[Window, ...]:
    """Divide `count` tokens into windows of at most `length`, `stride` apart; each token but the first is scored once.

    A token that is the first of its window is not scored, so that with a stride as large as the window one token of
    each is left out.
    """
    found: list[Window] = []
    scored = 1
    for first in range(0, count, stride):
        last = min(first + length, count)
        if last > max(scored, first + 1):
            found.append(Window(first, max(scored, first + 1), last))
        scored = last
        if last == count:
            break
    return tuple(found)


def perplexity(
    engine: Engine,
    tokens: Sequence[int],
    *,
    length: int,
    stride: int,
    at_once: int,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Perplexity:
    """Return the perplexity of a text, with `at_once` windows computed together as sequences of the engine.

    `progress` gets the windows done and their number. Raises `HipportError` for a text without a token to predict.
    """
    parts = windows(len(tokens), length, stride)
    if not parts:
        raise HipportError(f"the text has {len(tokens)} tokens; perplexity needs at least 2")
    losses: list[float] = []
    for done in range(0, len(parts), at_once):
        progress(done, len(parts))
        losses += _losses(engine, tokens, parts[done : done + at_once])
    progress(len(parts), len(parts))
    error = float(np.std(losses, ddof=1)) / math.sqrt(len(losses)) if len(losses) > 1 else math.inf
    return Perplexity(len(losses), len(parts), float(np.mean(losses)), error)


def _losses(engine: Engine, tokens: Sequence[int], parts: Sequence[Window]) -> Iterator[float]:
    """Yield the negative log-likelihoods of the scored tokens of some windows, which are decoded together."""
    for sequence, window in enumerate(parts):
        engine.reset(sequence)
        if window.scored - 1 > window.first:
            engine.prefill(tokens[window.first : window.scored - 1], sequence=sequence)
    for step in range(max(window.last - window.scored for window in parts)):
        going = [(i, window) for i, window in enumerate(parts) if window.scored + step < window.last]
        asked = [tokens[window.scored + step - 1] for _, window in going]
        places = [window.scored + step - 1 - window.first for _, window in going], [i for i, _ in going]
        _, logits = engine.decode(asked, *places, [Sampling()] * len(going), logits=True)
        assert logits is not None
        yield from losses_of(logits, [tokens[window.scored + step] for _, window in going]).tolist()


def losses_of(logits: Logits, tokens: Sequence[int]) -> Doubles:
    """Return the negative log-likelihood of a token for each row of logits. Raises `HipportError` if there is none."""
    shifted = logits.astype(np.float64) - logits.max(axis=1, keepdims=True)
    losses: Doubles = np.log(np.exp(shifted).sum(axis=1)) - shifted[np.arange(len(tokens)), list(tokens)]
    if not np.isfinite(losses).all():
        raise HipportError("the model's logits are not finite")
    return losses
