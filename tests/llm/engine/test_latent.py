"""Latent attention in long prompts, in steps of many sequences, with other formats and with quantized folders."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Literal

import numpy as np
import pytest

from hipport.builds.shipped import Target
from hipport.errors import HipportError
from hipport.llm.model.config import RANDOM_MODELS
from hipport.llm.runtime.engine import Logits, Sampling
from hipport.llm.runtime.opening import open_engine
from hipport.llm.sources.checkpoints import open_checkpoint
from hipport.llm.weights.formats import USUAL, Formats
from hipport.llm.weights.random_weights import RandomWeights
from tests.llm.engine.batched_beside_single import MOST, TOLERANCE, Pair
from tests.llm.engine.test_prefix_sharing import PAGE, continued
from tests.llm.models import Config, Weights, write_model
from tests.llm.other_models import OTHERS, kept_others, make_others
from tests.llm.prequantized import SCHEMES, save

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]
NAME = "deepseek_v2"
CHUNK = 1024
"""The most tokens of a prompt that are computed at once."""


@pytest.fixture(scope="module")
def transformers() -> ModuleType:
    torch = pytest.importorskip("torch")
    from tests.llm import against_transformers

    torch.set_num_threads(1)
    return against_transformers


def expected(reference: ModuleType, config: Config, weights: Weights, tokens: list[int]) -> Logits:
    """Return the logits of transformers after all tokens."""
    import torch

    model = reference._loaded(config, weights)
    with torch.no_grad():
        found: Logits = model(torch.tensor([tokens])).logits[0, -1].numpy()
    return found


@pytest.mark.parametrize(
    ("changes", "length"),
    [
        ({}, CHUNK + 70),
        # More heads than a block takes, the widest latent vectors, and with rotated keys no multiple of 32.
        ({"hidden_size": 320, "num_attention_heads": 20, "num_key_value_heads": 20, "kv_lora_rank": 512}, 70),
    ],
)
def test_long_prompts(changes: Config, length: int, tmp_path: Path, target32: Target, transformers: ModuleType) -> None:
    config = OTHERS[NAME] | {"max_position_embeddings": 2048, "num_hidden_layers": 2} | changes
    weights = make_others(config, 5)
    tokens = np.random.default_rng(4).integers(0, 500, length).tolist()
    write_model(tmp_path, config, weights)
    with open_checkpoint(tmp_path) as model, open_engine(model, target32, positions=length + 10) as engine:
        found = engine.prefill(tokens, logits=True)
        _, decoded = engine.decode(tokens[-1:], [len(tokens) - 1], [0], [Sampling()], logits=True)
    theirs = expected(transformers, config, kept_others(config, weights), tokens)
    assert found is not None and decoded is not None
    assert transformers.error(found, theirs) <= transformers.TOLERANCE
    assert transformers.error(decoded[0], theirs) <= transformers.TOLERANCE


def test_steps_of_many_sequences(target: Target) -> None:
    weights = RandomWeights(RANDOM_MODELS["deepseek-tiny"])
    with open_engine(weights, target, positions=96, sequences=2 * MOST) as engine:
        pair = Pair(engine)
        for sequence in range(0, MOST, 6):
            pair.begin(sequence, 3 + 2 * sequence)
        for sequences in (range(9), [*range(2, 12), *range(14, 21)], range(MOST)):
            tokens, logits, batched_tokens, batched_logits = pair.step(sequences)
            assert batched_tokens == tokens
            assert (np.abs(batched_logits - logits) <= TOLERANCE * np.abs(logits).max()).all()


@pytest.mark.parametrize("cache", ["16bit", "int8"])
def test_pages_are_shared(cache: Literal["16bit", "int8"], target32: Target) -> None:
    weights = RandomWeights(RANDOM_MODELS["deepseek-tiny"], formats=Formats("q4f16_32", cache))
    common = [(i * 37 + 5) % 512 for i in range(2 * PAGE)]
    with open_engine(weights, target32, positions=96, sequences=2) as engine:
        alone = continued(engine, [*common, 9, 8], 0)
        assert alone[0] == 0
        assert continued(engine, [*common, 9, 8], 1) == (2 * PAGE, alone[1])
        # Sequence 1 rewrites a position of a page that both have.
        engine.prefill([11], sequence=1, position=20)
        assert engine.generate(8, len(common) + 1, 4, sequence=0) == alone[1]


def test_drafts_are_checked_in_one_step(target32: Target) -> None:
    weights, prompt = RandomWeights(RANDOM_MODELS["deepseek-tiny"]), [3, 1, 4, 1, 5]
    with open_engine(weights, target32, positions=96, sequences=8) as engine:
        engine.prefill(prompt[:-1])
        alone = engine.generate(prompt[-1], len(prompt) - 1, 7)
        engine.reset()
        engine.prefill(prompt[:-1])
        drafts = [prompt[-1], *alone[:6]]
        found, _ = engine.decode(drafts, [4 + i for i in range(7)], [0] * 7, [Sampling()] * 7)
        assert found == alone


@pytest.mark.parametrize(("formats", "part"), [(Formats("16bit"), 1e-2), (Formats("q4f16_32", "int8"), 2e-2)])
def test_other_formats(
    tmp_path: Path, formats: Formats, part: float, target32: Target, transformers: ModuleType
) -> None:
    config, weights = OTHERS[NAME], make_others(OTHERS[NAME], 3)
    write_model(tmp_path, config, weights)
    tokens = np.random.default_rng(2).integers(0, 500, 41).tolist()
    with open_checkpoint(tmp_path, formats) as model, open_engine(model, target32, positions=64) as engine:
        engine.prefill(tokens[:40])
        _, found = engine.decode([tokens[40]], [40], [0], [Sampling()], logits=True)
    theirs = expected(transformers, config, kept_others(config, weights, formats), tokens)
    assert found is not None
    assert transformers.error(found[0], theirs) <= part


@pytest.mark.parametrize("name", ["awq", "fp8_blocks"])
def test_quantized_folders(name: str, tmp_path: Path, target32: Target, transformers: ModuleType) -> None:
    config = OTHERS["deepseek_v2, groups"] | {"moe_intermediate_size": 128}
    told, quantize = SCHEMES[name]
    tensors: dict[str, np.ndarray] = {}
    exact: Weights = {}
    for key, values in make_others(config, 3).items():
        if "_proj" in key:
            made, exact[key] = quantize(key.removesuffix(".weight"), values)
            tensors |= made
        else:
            tensors[key] = exact[key] = values.astype(np.float16)
    (tmp_path / "config.json").write_text(json.dumps(config | {"quantization_config": told}))
    save(tmp_path / "model.safetensors", tensors)
    tokens = np.random.default_rng(2).integers(0, 500, 41).tolist()
    with (
        open_checkpoint(tmp_path, Formats("auto")) as model,
        open_engine(model, target32, positions=64) as engine,
    ):
        assert model.formats.weights == "native"
        found = engine.prefill(tokens, logits=True)
    assert found is not None
    assert transformers.error(found, expected(transformers, config, exact, tokens)) <= transformers.TOLERANCE


def test_layers_that_predict_further_tokens_are_left_out(tmp_path: Path) -> None:
    config = OTHERS["deepseek_v3"] | {"num_nextn_predict_layers": 1}
    weights = make_others(config, 1)
    weights["model.layers.3.eh_proj.weight"] = np.ones((256, 512), np.float32)
    write_model(tmp_path, config, weights)
    with open_checkpoint(tmp_path, USUAL) as model:
        assert {tensor.layer for tensor in model.wanted()} == {0, 1, 2}
    weights["model.layers.4.eh_proj.weight"] = np.ones((256, 512), np.float32)
    write_model(tmp_path, config, weights)
    with pytest.raises(HipportError, match=r"a tensor model\.layers\.4\.eh_proj"), open_checkpoint(tmp_path, USUAL):
        pass
