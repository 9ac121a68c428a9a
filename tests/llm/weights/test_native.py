"""Random matrices in the formats of model files, and what is said of formats."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from hipport.llm.model.config import RANDOM_MODELS
from hipport.llm.weights.formats import Formats
from hipport.llm.weights.native import FORMATS, Native
from hipport.llm.weights.random_native import random_layout, random_native
from hipport.llm.weights.random_weights import RandomWeights

KERNELS = Path(__file__).parents[3] / "hipport" / "llm" / "kernels"


@pytest.mark.parametrize(
    ("name", "columns", "kind"),
    [
        ("model.layers.0.self_attn.q_proj.weight", 1024, "four_factored_min"),
        ("model.layers.0.self_attn.v_proj.weight", 1024, "six_factored"),
        ("lm_head.weight", 256, "six_factored"),
        ("model.layers.0.mlp.down_proj.weight", 704, "eight"),
    ],
)
def test_random_weights_have_the_spread_that_is_asked_for(name: str, columns: int, kind: str) -> None:
    layout = random_layout(name, 300, columns)
    assert layout.format.name == kind
    found = unpacked(random_native(np.random.default_rng(1), layout, 0.02).packed(), layout)
    assert abs(found.mean()) < 3e-4
    assert found.std() == pytest.approx(0.02, rel=0.1)
    assert len(np.unique(found)) > 400


def unpacked(data: np.ndarray, layout) -> np.ndarray:  # type: ignore[no-untyped-def]
    planes, at = [], 0
    for rows, width in layout.planes:
        planes.append(data[at : at + rows * width].reshape(rows, width))
        at += -(-rows * width // 128) * 128
    assert at == len(data)
    return Native(layout.format, layout.group, layout.columns, tuple(planes)).floats()


def test_random_models_are_whole() -> None:
    weights = RandomWeights(RANDOM_MODELS["tiny"], formats=Formats("native"))
    made = [(tensor, data.nbytes) for tensor, data in weights.tensors()]
    assert [tensor for tensor, _ in made] == list(weights.wanted())
    assert all(size == tensor.bytes for tensor, size in made)
    assert {tensor.layout.format.name for tensor, _ in made if tensor.layout} == {
        "four_factored_min", "six_factored", "eight",
    }  # fmt: skip


def test_the_kernels_have_the_same_formats() -> None:
    text = (KERNELS / "native_formats.cuh").read_text()
    numbers = [int(number) for number in re.findall(r"case (\d+):", text)]
    assert [0, *numbers] == [form.number for form in FORMATS.values()] == list(range(len(FORMATS)))
    assert f"kNativeFormats = {len(FORMATS)};" in text
