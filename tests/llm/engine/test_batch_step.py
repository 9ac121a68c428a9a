"""In a step of many sequences each gets the same result as in a step of few."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hipport.builds.shipped import Target
from hipport.errors import HipportError
from hipport.llm.model.config import RANDOM_MODELS
from hipport.llm.runtime.engine import Engine, Logits, Sampling
from hipport.llm.runtime.opening import open_engine
from hipport.llm.weights.formats import USUAL, Formats
from hipport.llm.weights.random_weights import RandomWeights
from tests.llm.engine.batched_beside_single import MOST, TOLERANCE, Pair

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

SHAPE = replace(RANDOM_MODELS["tiny"], layers=1, width=128, hidden=256)
LONG = 270
"""So long that two blocks share the positions of a head."""


def opened(target: Target, formats: Formats = USUAL, sequences: int = 2 * MOST) -> Engine:
    return open_engine(RandomWeights(SHAPE, formats=formats), target, positions=LONG + 16, sequences=sequences)


def close(found: Logits, wanted: Logits, part: float) -> bool:
    return bool((np.abs(found - wanted) <= part * np.abs(wanted).max()).all())


def test_sequences_come_and_go(target: Target) -> None:
    with opened(target) as engine:
        pair = Pair(engine)
        for sequence in range(0, MOST, 6):
            pair.begin(sequence, 3 + 2 * sequence)
        steps = (range(9), range(16), [*range(2, 12), *range(14, 21)], range(MOST))
        for sequences in steps:
            tokens, logits, batched_tokens, batched_logits = pair.step(sequences)
            assert batched_tokens == tokens
            assert close(batched_logits, logits, TOLERANCE)
        # One leaves, and another begins in its place; a long one is among them.
        pair.begin(4, 2)
        pair.begin(20, LONG)
        for _ in range(2):
            tokens, logits, batched_tokens, batched_logits = pair.step([20, *range(10, 0, -1)])
            assert batched_tokens == tokens
            assert close(batched_logits, logits, TOLERANCE)


def test_a_model_that_only_batched_steps_compute(target32: Target) -> None:
    """Qwen3 normalizes heads, which the persistent kernel cannot: one sequence goes the same way as many."""
    lengths = (1, 33, 7, 70)
    with open_engine(RandomWeights(RANDOM_MODELS["qwen3-tiny"]), target32, positions=80, sequences=8) as engine:
        for sequence, length in enumerate(lengths):
            engine.prefill(range(length), sequence=sequence)
        every = range(len(lengths))
        together, logits = engine.decode([5] * 4, lengths, every, [Sampling()] * 4, logits=True)
        for i in every:
            alone, own = engine.decode([5], [lengths[i]], [i], [Sampling()], logits=True)
            assert logits is not None and own is not None
            assert alone == [together[i]]
            assert close(logits[i], own[0], TOLERANCE)
        assert engine.generate(5, lengths[3], 1, sequence=3) == [together[3]]
        with pytest.raises(HipportError, match="1 to 8 tokens"):
            engine.decode([1] * 9, [0] * 9, range(9), [Sampling()] * 9)


# The builds of test_formats.py.
@pytest.mark.parametrize(
    ("formats", "wave_size", "part"),
    [(Formats("16bit"), 32, TOLERANCE), (Formats("q4f16_128", "int8", "bf16"), 64, 2e-2)],
)
def test_other_formats(formats: Formats, wave_size: int, part: float, engine_cache: Path) -> None:
    with opened(Target("cpu", wave_size=wave_size), formats) as engine:
        pair = Pair(engine)
        pair.begin(3, 40)
        for sequences in (range(9), [3, *range(5, 25)]):
            _, logits, _, batched_logits = pair.step(sequences)
            assert close(batched_logits, logits, part)


def test_how_many_at_once(target32: Target) -> None:
    for sequences, most in ((8, 8), (20, 20), (70, 64)):
        with opened(target32, sequences=sequences) as engine:
            assert engine.stats().max_tokens == most
            one_more = range(most + 1)
            with pytest.raises(HipportError, match=f"1 to {most} tokens"):
                engine.decode([1] * len(one_more), [0] * len(one_more), one_more, [Sampling()] * len(one_more))
