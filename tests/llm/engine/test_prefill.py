"""The prefill kernels agree with decoding steps and with the reference."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from hipport.builds.shipped import Target
from hipport.llm.runtime.engine import Engine, Logits, Sampling
from hipport.llm.runtime.opening import open_engine
from hipport.llm.sources.checkpoints import open_checkpoint
from tests.llm.models import MODELS, make_weights, quantized, untied, write_model
from tests.llm.reference import logits

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

NAME = "qwen2"
PROMPT = [int(token) for token in np.random.default_rng(3).integers(0, 500, 83)]
STEPS = [*range(8, len(PROMPT), 8), len(PROMPT)]
"""So few tokens at a time go through the step that decoding takes."""
NEXT = 7


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_model(tmp_path, MODELS[NAME], make_weights(MODELS[NAME], 2))


@pytest.fixture
def engine(folder: Path, target: Target) -> Iterator[Engine]:
    with open_checkpoint(folder) as model, open_engine(model, target, positions=128, sequences=2) as opened:
        yield opened


def prefilled(engine: Engine, pieces: list[int], sequence: int = 0) -> tuple[Logits, Logits]:
    """Return the logits after the prompt, prefilled in pieces with these ends, and after one more token."""
    start = 0
    for end in pieces:
        last = engine.prefill(PROMPT[start:end], sequence=sequence, position=start, logits=end == len(PROMPT))
        start = end
    _, after = engine.decode([NEXT], [start], [sequence], [Sampling()], logits=True)
    assert last is not None
    assert after is not None
    return last, after[0]


def close(found: Logits, wanted: Logits, part: float) -> bool:
    return bool((np.abs(found - wanted) <= part * np.abs(wanted).max()).all())


def test_a_prompt_is_as_good_as_its_tokens_in_steps(engine: Engine) -> None:
    by_steps = prefilled(engine, STEPS, sequence=1)
    config, weights = untied(MODELS[NAME], make_weights(MODELS[NAME], 2))
    exact = logits(config, quantized(config, weights), [*PROMPT, NEXT])[-2:]
    for pieces in ([83], [41, 83], [3, 40, 70, 83]):
        engine.reset()
        for found, wanted, reference in zip(prefilled(engine, pieces), by_steps, exact, strict=True):
            assert close(found, wanted, 5e-3), pieces
            assert close(found, reference.astype(np.float32), 1e-2), pieces
    # The sequence beside it has not been touched.
    assert engine.generate(NEXT, 83, 6) == engine.generate(NEXT, 83, 6, sequence=1)


def test_the_tokens_of_a_prompt_count_as_seen(engine: Engine) -> None:
    found = []
    for pieces in ([83], STEPS):
        engine.reset()
        prefilled(engine, pieces)
        how = Sampling(repetition_penalty=50.0)
        (token,), _ = engine.decode([NEXT], [83], [0], [how])
        found.append(token)
        assert token not in PROMPT
    assert found[0] == found[1]
