"""Models in the formats of their files: the engine agrees with the reference, which has the weights gguf decodes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from hipport.builds.shipped import Target
from hipport.llm.runtime.engine import Sampling
from hipport.llm.runtime.opening import open_engine
from hipport.llm.sources.checkpoints import open_checkpoint
from hipport.llm.weights.formats import Formats
from tests.llm.gguf_files import write_native
from tests.llm.models import MODELS, Config
from tests.llm.reference import logits

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

PROMPT, STEPS = [1, 17, 254, 99, 3, 77, 401, 5, 260, 31], 32
SHAPE = {"hidden_size": 256, "intermediate_size": 512}
CASES: Mapping[str, tuple[str, Config, Mapping[str, str]]] = {
    # As llama.cpp's quantize mixes types, with a feed-forward width that rows of the engine are padded to.
    "Q4_K_M": ("llama3", SHAPE, {"attn_v": "Q6_K", "1.ffn_down": "Q6_K", "output.": "Q6_K", "": "Q4_K"}),
    "Q5_K_M": ("mistral", SHAPE, {"attn_v": "Q6_K", "0.ffn_down": "Q6_K", "token_embd": "F16", "": "Q5_K"}),
    "Q6_K": ("qwen2", SHAPE, {"": "Q6_K"}),
    "Q8_0": ("qwen2", SHAPE | {"intermediate_size": 352}, {"": "Q8_0"}),
    "IQ4_XS": ("phi3", SHAPE, {"output.": "Q6_K", "": "IQ4_XS"}),
    "MXFP4": ("qwen3", SHAPE, {"output.": "Q8_0", "token_embd": "F16", "": "MXFP4"}),
    "NVFP4": ("mistral", SHAPE | {"intermediate_size": 320}, {"output.": "F32", "": "NVFP4"}),
    "Q2_K": ("llama3", SHAPE, {"attn_v": "Q3_K", "ffn_down": "Q3_K", "output.": "Q6_K", "": "Q2_K"}),
    "old": (
        "phi3",
        SHAPE | {"intermediate_size": 320},
        {"output.": "IQ4_NL", "attn_qkv": "Q5_0", "attn_output": "Q4_1", "ffn_down": "Q5_1", "": "Q4_0"},
    ),
    "TQ2_0": ("qwen2", SHAPE, {"attn_q": "Q4_0", "token_embd": "Q4_K", "": "TQ2_0"}),
}


@pytest.mark.parametrize("wave_size", [32, 64])
@pytest.mark.parametrize("name", CASES)
def test_tokens_and_logits_are_those_of_the_reference(
    name: str, wave_size: int, engine_cache: Path, tmp_path: Path
) -> None:
    model, shape, kinds = CASES[name]
    config = MODELS[model] | shape
    path, weights = write_native(tmp_path / "model.gguf", config, kinds, 3)
    target = Target("cpu", wave_size=wave_size)
    with (
        open_checkpoint(path, Formats("native")) as checkpoint,
        open_engine(checkpoint, target, positions=len(PROMPT) + STEPS, sequences=6) as engine,
    ):
        assert checkpoint.notes == ()
        first = engine.prefill(PROMPT, logits=True)
        made = engine.generate(PROMPT[-1], len(PROMPT) - 1, STEPS)
        engine.reset()
        last = engine.prefill(PROMPT + made, logits=True)
        several = [batch(engine, PROMPT, count) for count in (3, 6)]
    expected = logits(config, weights, PROMPT + made)[len(PROMPT) - 1 :]
    behind = expected[:-1].max(axis=1) - expected[range(STEPS), made]
    assert behind.max() <= 5e-3 * np.abs(expected).max()
    for got, wanted in ((first, expected[0]), (last, expected[-1]), *((each, expected[0]) for each in several)):
        assert got is not None
        assert np.abs(got - wanted).max() <= 1e-2 * np.abs(wanted).max()


def batch(engine, prompt: list[int], count: int) -> np.ndarray:  # type: ignore[no-untyped-def]
    """Return the logits after a prompt, as the last of several sequences that are decoded together."""
    for sequence in range(count):
        engine.reset(sequence)
        engine.prefill(prompt[:-1], sequence=sequence)
    places = [len(prompt) - 1] * count, range(count), [Sampling()] * count
    _, found = engine.decode([prompt[-1]] * count, *places, logits=True)
    assert np.abs(found - found[0]).max() <= 1e-3 * np.abs(found).max()
    return found[-1]
