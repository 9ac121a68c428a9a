"""Other formats of weights, caches and activations: the engine agrees with the reference."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import get_args, get_type_hints

import click
import numpy as np
import pytest

from hipport.builds.shipped import Target
from hipport.cli.llm.model import model_options
from hipport.errors import HipportError
from hipport.llm.model.config import RANDOM_MODELS
from hipport.llm.runtime.opening import open_engine
from hipport.llm.sources.checkpoints import open_checkpoint
from hipport.llm.weights.formats import Formats
from hipport.llm.weights.random_weights import RandomWeights
from tests.llm.models import MODELS, make_weights, quantized, untied, write_model
from tests.llm.reference import Doubles, logits

PROMPT, STEPS = [1, 17, 254, 99, 3], 64


def in_8_bits(vectors: Doubles) -> Doubles:
    """Return keys or values as the 8-bit cache rounds them: 8 dimensions of both halves of a head share a scale."""
    groups = vectors.reshape(*vectors.shape[:-1], 2, -1, 8)
    scales = (np.abs(groups).max(axis=(-3, -1), keepdims=True) / 127).astype(np.float16).astype(np.float64)
    return (np.rint(groups / scales) * scales).reshape(vectors.shape)


# Every format once, and as few builds as that takes.
@pytest.mark.toolchain
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "formats", "wave_size", "tolerance"),
    [
        ("qwen2", Formats("16bit"), 32, 1e-2),
        ("qwen2", Formats("q4f16_128", "int8", "bf16"), 64, 5e-2),
        ("qwen3", Formats("q4f16_128", "int8", "bf16"), 64, 5e-2),
        ("qwen2", Formats("native", "int8", "bf16"), 32, 5e-2),
    ],
)
def test_tokens_and_logits_are_those_of_the_reference(
    name: str, formats: Formats, wave_size: int, tolerance: float, engine_cache: Path, tmp_path: Path
) -> None:
    weights = make_weights(MODELS[name], 2)
    write_model(tmp_path, MODELS[name], weights)
    target = Target("cpu", wave_size=wave_size)
    with (
        open_checkpoint(tmp_path, formats) as model,
        open_engine(model, target, positions=len(PROMPT) + STEPS) as engine,
    ):
        first = engine.prefill(PROMPT, logits=True)
        made = engine.generate(PROMPT[-1], len(PROMPT) - 1, STEPS)
        engine.reset()
        last = engine.prefill(PROMPT + made, logits=True)
    config, kept = untied(MODELS[name], weights)
    cached = in_8_bits if formats.cache == "int8" else None
    expected = logits(config, quantized(config, kept, formats), PROMPT + made, cached)[len(PROMPT) - 1 :]
    behind = expected[:-1].max(axis=1) - expected[range(STEPS), made]
    assert behind.max() <= (0.0 if formats == Formats("16bit") else tolerance) * np.abs(expected).max()
    for got, wanted in ((first, expected[0]), (last, expected[-1])):
        assert got is not None
        assert np.abs(got - wanted).max() <= tolerance * np.abs(wanted).max()


def test_widths_that_groups_do_not_divide(target32: Target) -> None:
    odd = RandomWeights(replace(RANDOM_MODELS["tiny"], width=192), formats=Formats("q4f16_128"))
    with pytest.raises(HipportError, match=r"q4f16_128 needs multiples of 128, but the model's width is 192"):
        open_engine(odd, target32, positions=8)


@pytest.mark.parametrize("name", ["weights", "cache", "activations"])
def test_the_command_line_has_all_formats(name: str) -> None:
    command = click.command()(model_options(lambda: None))
    option = next(option for option in command.params if option.name == name)
    assert tuple(option.type.choices) == get_args(get_type_hints(Formats)[name])  # type: ignore[attr-defined]
    assert option.default == ("auto" if name == "weights" else getattr(Formats(), name))
