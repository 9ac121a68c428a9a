"""Drafts for speculative decoding: guesses of the next tokens, which one step of the model checks together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Protocol

from hipport.llm.runtime.engine import Engine

_LONGEST, _SHORTEST = 4, 2
"""Lengths of the last tokens that are looked up in the text before."""


class Draft(Protocol):
    """Guesses how one text goes on."""

    def guess(self, tokens: Sequence[int], most: int) -> list[int]:
        """Return up to `most` tokens that may follow. From call to call `tokens` only grows."""


class Repetition:
    """Guesses that a text goes on as it did where its last few tokens were before (prompt lookup)."""

    __slots__ = ("_ends", "_known")

    def __init__(self) -> None:
        self._ends: dict[tuple[int, ...], int] = {}
        self._known = 0

    def guess(self, tokens: Sequence[int], most: int) -> list[int]:
        """Return what followed the latest place with the same last tokens, as many of them as possible."""
        for end in range(max(self._known, _SHORTEST), len(tokens)):  # not the end of the text itself
            for length in range(_SHORTEST, min(_LONGEST, end) + 1):
                self._ends[tuple(tokens[end - length : end])] = end
        self._known = len(tokens)
        for length in range(min(_LONGEST, len(tokens)), _SHORTEST - 1, -1):
            place = self._ends.get(tuple(tokens[len(tokens) - length :]))
            if place is not None:
                return list(tokens[place : place + most])
        return []


class DraftModel:
    """Guesses what a smaller model with the same vocabulary generates greedily, in one sequence of its engine."""

    __slots__ = ("_cached", "_engine", "_sequence")

    def __init__(self, engine: Engine, sequence: int) -> None:
        self._engine = engine
        self._sequence = sequence
        self._cached: list[int] = []
        engine.reset(sequence)

    def guess(self, tokens: Sequence[int], most: int) -> list[int]:
        """Return the draft model's greedy continuation. Raises `HipportError` if its engine fails."""
        most = min(most, self._engine.positions - len(tokens))
        if most < 1:
            return []
        pairs = zip(self._cached, tokens[:-1], strict=False)
        kept = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        missing = tokens[kept:-1]
        if missing:
            self._engine.prefill(missing, sequence=self._sequence, position=kept)
        made = self._engine.generate(tokens[-1], len(tokens) - 1, most, sequence=self._sequence)
        self._cached = [*tokens, *made[:-1]]
        return made


@dataclass(frozen=True, slots=True)
class Repetitions:
    """Drafts from repetitions, of up to `tokens` tokens."""

    tokens: int

    def draft(self, sequence: int) -> Draft:
        """Return a draft for a new text."""
        return Repetition()


@dataclass(frozen=True, slots=True)
class DraftModels:
    """Drafts by a model, of up to `tokens` tokens. Its engine has as many sequences as the engine it guesses for."""

    engine: Engine
    tokens: int

    def draft(self, sequence: int) -> Draft:
        """Return a draft for a new text in a sequence."""
        return DraftModel(self.engine, sequence)
