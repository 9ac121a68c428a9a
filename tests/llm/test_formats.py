"""Other formats of weights, caches and activations: what the engine computes is what the reference computes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click
import numpy as np
import pytest

from hipport.build.shipped import Target
from hipport.cli.llm.model import model_options
from hipport.errors import HipportError
from hipport.llm import formats as module
from hipport.llm.checkpoint import open_checkpoint
from hipport.llm.config import RANDOM_MODELS
from hipport.llm.formats import Formats
from hipport.llm.opening import open_engine
from hipport.llm.random_weights import RandomWeights
from tests.llm.models import MODELS, make_weights, quantised, untied, write_model
from tests.llm.reference import logits

PROMPT, STEPS = [1, 17, 254, 99, 3], 64


@pytest.mark.toolchain
@pytest.mark.slow
@pytest.mark.parametrize(
    ("formats", "wave_size", "tolerance"),
    [(Formats("q4f16_128"), 64, 1e-2), (Formats("16bit"), 32, 1e-2)],
)
def test_tokens_and_logits_are_those_of_the_reference(
    formats: Formats, wave_size: int, tolerance: float, engine_cache: Path, tmp_path: Path
) -> None:
    weights = make_weights(MODELS["qwen2"], 2)
    write_model(tmp_path, MODELS["qwen2"], weights)
    target = Target("cpu", wave_size=wave_size)
    with (
        open_checkpoint(tmp_path, formats) as model,
        open_engine(model, target, positions=len(PROMPT) + STEPS) as engine,
    ):
        first = engine.prefill(PROMPT, logits=True)
        made = engine.generate(PROMPT[-1], len(PROMPT) - 1, STEPS)
    config, kept = untied(MODELS["qwen2"], weights)
    expected = logits(config, quantised(config, kept, formats), PROMPT + made)[len(PROMPT) - 1 :]
    assert made == expected[:-1].argmax(axis=1).tolist()
    assert first is not None
    assert np.abs(first - expected[0]).max() <= tolerance * np.abs(expected[0]).max()


def test_widths_that_groups_do_not_divide(target32: Target) -> None:
    odd = RandomWeights(replace(RANDOM_MODELS["tiny"], width=192), formats=Formats("q4f16_128"))
    with pytest.raises(HipportError, match=r"q4f16_128 needs multiples of 128, but the model's width is 192"):
        open_engine(odd, target32, positions=8)


@pytest.mark.parametrize("name", ["weights"])
def test_the_command_line_has_all_formats(name: str) -> None:
    command = click.command()(model_options(lambda: None))
    option = next(option for option in command.params if option.name == name)
    assert tuple(option.type.choices) == getattr(module, name.upper())  # type: ignore[attr-defined]
    assert option.default == getattr(Formats(), name)
