"""Compare steps of many sequences with steps of few, on the same prompts.

python -m tests.llm.engine.batched_beside_single [--target cpu|amd|nvidia] [--random-weights MODEL] [--rounds N]
                                                   [--sequences N]

compares them where it is run, again and again with other sequences, says which differ, and ends with 1 if any do.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from hipport.builds.shipped import choose_target
from hipport.llm.model.config import RANDOM_MODELS
from hipport.llm.runtime.engine import Engine, Logits, Sampling
from hipport.llm.runtime.opening import open_engine
from hipport.llm.weights.random_weights import RandomWeights
from hipport.toolchain.places import Surroundings

MOST, FEW = 31, 4
TOLERANCE = 2e-3
"""Of logits, as a part of the largest, with numbers of 16 bits."""
_LENGTHS = (3, 70, 600)
_STEPS = 3


@dataclass
class Pair:
    """The same sequences twice in an engine: the second copies advance in batched steps, the first a few at a time."""

    engine: Engine
    count: int = MOST
    positions: list[int] = field(init=False)
    tokens: list[int] = field(init=False)

    def __post_init__(self) -> None:
        """Begin with no positions and different tokens."""
        self.positions = [0] * self.count
        self.tokens = [3 + 11 * i for i in range(self.count)]

    def begin(self, sequence: int, length: int) -> None:
        """Prefill both copies with a prompt."""
        prompt = [(7 * i + sequence) % 500 for i in range(length)]
        for each in (sequence, self.count + sequence):
            self.engine.reset(each)
            self.engine.prefill(prompt, sequence=each)
        self.positions[sequence] = length

    def step(self, sequences: Sequence[int]) -> tuple[list[int], Logits, list[int], Logits]:
        """Return the tokens and logits of both copies."""
        single = [self._decode(sequences[i : i + FEW]) for i in range(0, len(sequences), FEW)]
        tokens, logits = [t for some, _ in single for t in some], np.concatenate([each for _, each in single])
        batched_tokens, batched_logits = self._decode(sequences, self.count)
        for sequence, token in zip(sequences, tokens, strict=True):
            self.tokens[sequence] = token
            self.positions[sequence] += 1
        return tokens, logits, batched_tokens, batched_logits

    def _decode(self, sequences: Sequence[int], behind: int = 0) -> tuple[list[int], Logits]:
        tokens, positions = [self.tokens[i] for i in sequences], [self.positions[i] for i in sequences]
        found, logits = self.engine.decode(
            tokens, positions, [behind + i for i in sequences], [Sampling()] * len(sequences), logits=True
        )
        assert logits is not None
        return found, logits


def main() -> int:
    """Print for each round and length the error of the logits, and the sequences that differ."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", choices=("cpu", "amd", "nvidia"))
    parser.add_argument("--random-weights", choices=RANDOM_MODELS, default="tiny", dest="model")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sequences", type=int, default=MOST)
    told = parser.parse_args()
    target = choose_target(Surroundings(), told.target, None)
    model = RANDOM_MODELS[told.model]
    lengths = [length for length in _LENGTHS if length + _STEPS + told.rounds <= model.positions]
    positions = max(lengths) + _STEPS + told.rounds
    with open_engine(RandomWeights(model), target, positions=positions, sequences=2 * told.sequences) as engine:
        apart = [
            list(_differing(Pair(engine, told.sequences), length, number))
            for number in range(told.rounds)
            for length in lengths
        ]
    return 1 if any(apart) else 0


def _differing(pair: Pair, length: int, number: int) -> Iterator[str]:
    """Yield the differences in steps of all sequences, with prompts of up to `length` tokens."""
    worst = 0.0
    for sequence in range(pair.count):
        pair.begin(sequence, number + 1 + length * sequence // pair.count)
    for step in range(_STEPS):
        tokens, logits, batched_tokens, batched_logits = pair.step(range(pair.count))
        errors = np.abs(batched_logits - logits).max(axis=1) / np.abs(logits).max()
        worst = max(worst, float(errors.max()))
        for sequence in range(pair.count):
            if errors[sequence] > TOLERANCE or not np.isfinite(errors[sequence]):
                found = f"step {step}, sequence {sequence}: logits {errors[sequence]:.1e} of the largest apart, "
                found += f"tokens {tokens[sequence]} and {batched_tokens[sequence]}"
                print(found)
                yield found
    print(f"round {number}, up to {length} positions: logits within {worst:.1e} of the largest", flush=True)


if __name__ == "__main__":
    sys.exit(main())
