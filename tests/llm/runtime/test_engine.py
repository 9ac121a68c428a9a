"""Generating text with the engine: batched sequences, seeds, limits, rejected arguments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hipport.builds.shipped import Target
from hipport.errors import HipportError
from hipport.llm.model.config import RANDOM_MODELS
from hipport.llm.runtime.engine import Engine, Sampling
from hipport.llm.runtime.opening import open_engine, open_model
from hipport.llm.weights.random_weights import RandomWeights
from tests.llm.models import MODELS, make_weights, write_model

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

PROMPT = [1, 17, 254, 99, 3]
GREEDY = Sampling()


@pytest.fixture
def tiny(target32: Target) -> Iterator[Engine]:
    with open_engine(RandomWeights(RANDOM_MODELS["tiny"]), target32, positions=64, sequences=3) as engine:
        yield engine


def test_a_folder_is_opened_as_long_as_its_model_allows(tmp_path: Path, engine_cache: Path) -> None:
    write_model(tmp_path, MODELS["llama3"], make_weights(MODELS["llama3"], 2))
    made = []
    for _ in range(2):  # quantized, then from the cache
        with open_model(tmp_path, target="cpu") as engine:
            assert engine.positions == 128
            made.append(engine.generate(PROMPT[0], 0, 3))
    assert made[0] == made[1]
    assert list((engine_cache / "hipport/models").glob("*/checksums.json"))


def test_sequences_of_one_step_do_not_see_each_other(tiny: Engine) -> None:
    alone = []
    for sequence, token in enumerate((5, 6, 7)):
        alone.append(tiny.generate(token, 0, 6, sequence=sequence))
        tiny.reset(sequence)
    together, tokens = [], [5, 6, 7]
    for position in range(6):
        tokens, _ = tiny.decode(tokens, [position] * 3, [0, 1, 2], [GREEDY] * 3)
        together.append(tokens)
    assert np.transpose(together).tolist() == alone
    assert len({tuple(made) for made in alone}) == 3


def test_a_seed_chooses_the_text(tiny: Engine) -> None:
    def draw(seed: int, **how: float) -> int:
        tiny.reset()
        (token,), _ = tiny.decode([5], [0], [0], [Sampling(temperature=3.0, seed=seed, **how)])  # type: ignore[arg-type]
        return token

    assert draw(1) == draw(1)
    assert len({draw(seed) for seed in range(8)}) > 4
    assert len({draw(seed, top_k=1) for seed in range(4)}) == 1


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda engine: engine.prefill([512]), "no token 512 among 512"),
        (lambda engine: engine.prefill([1], sequence=3), "no sequence 3"),
        (lambda engine: engine.generate(1, 60, 5), "beyond the 64"),
        (lambda engine: engine.decode([1] * 9, [0] * 9, [0] * 9, [GREEDY] * 9), "1 to 8 tokens"),
        (lambda engine: engine.decode([1], [0, 1], [0], [GREEDY]), "a token, a position"),
    ],
)
def test_what_the_engine_refuses(tiny: Engine, call: object, said: str) -> None:
    before = tiny.generate(5, 0, 2)
    with pytest.raises(HipportError, match=said):
        call(tiny)  # type: ignore[operator]
    tiny.reset()
    assert tiny.generate(5, 0, 2) == before


def test_stats(tiny: Engine) -> None:
    tiny.generate(5, 0, 4)
    stats = tiny.stats()
    assert stats.device == "hipport CPU target, 32-lane wavefronts"
    assert (stats.steps, stats.max_tokens) == (4, 8)
    assert stats.device_bytes > stats.token_bytes > 400_000
    assert stats.step_seconds > 0
    assert tiny.read_bandwidth() > 1e6


def test_a_step_reads_the_chosen_experts_only(target32: Target) -> None:
    config = RANDOM_MODELS["qwen3-moe-tiny"]
    assert config.experts is not None
    read = []
    for chosen in (1, 2, config.experts.count):
        model = replace(config, experts=replace(config.experts, chosen=chosen))
        with open_engine(RandomWeights(model), target32, positions=32) as engine:
            read.append(engine.stats().token_bytes)
    one = read[1] - read[0]
    assert one > config.hidden * config.width  # three matrices of 4 bits and more
    assert read[2] - read[0] == one * (config.experts.count - 1)


def test_a_closed_engine_says_so(target32: Target) -> None:
    with open_engine(RandomWeights(RANDOM_MODELS["tiny"]), target32, positions=32) as engine:
        pass
    engine.close()
    with pytest.raises(HipportError, match="closed"):
        engine.reset()


def test_too_long_for_the_model_is_said_before_anything_is_loaded(target32: Target) -> None:
    with pytest.raises(HipportError, match="513 tokens exceed the model's limit of 512"):
        open_engine(RandomWeights(RANDOM_MODELS["tiny"]), target32, positions=513)
