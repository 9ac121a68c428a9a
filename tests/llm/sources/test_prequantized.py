"""Folders with AWQ, GPTQ and FP8 weights: kept as they are, with the weights that their authors' formulas give."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hipport.errors import HipportError
from hipport.llm.sources.checkpoints import open_checkpoint
from hipport.llm.weights.formats import Formats
from hipport.llm.weights.tensors import Part
from tests.llm.models import Config
from tests.llm.prequantized import SCHEMES, write


@pytest.mark.parametrize("name", SCHEMES)
def test_weights_are_those_of_the_formula(name: str, tmp_path: Path) -> None:
    exact = write(tmp_path, name)
    with open_checkpoint(tmp_path, Formats("auto")) as model:
        assert model.formats.weights == "native"
        assert model.notes == ()
        for key, values in exact.items():
            if "proj" in key:
                part = Part(key, values.shape)
                found = model.source.read_native(part)
                assert (found.format.name, found.group) == model.source.native_format(part)
                assert (found.floats() == values).all()
                assert (np.asarray(model.source.read(part)) == values).all()
        assert sum(tensor.bytes for tensor, _ in model.tensors()) == sum(tensor.bytes for tensor in model.wanted())


def test_they_can_be_converted_and_that_is_said(tmp_path: Path) -> None:
    write(tmp_path, "awq")
    with open_checkpoint(tmp_path, Formats("16bit")) as model:
        assert model.notes == ("converting 14 matrices that are quantized already",)
        assert len(list(model.tensors())) == 15


DOWN = "model.layers.1.mlp.down_proj"


def harm(key: str, values: Any) -> Callable[[dict[str, np.ndarray], Config], None]:
    def change(tensors: dict[str, np.ndarray], config: Config) -> None:
        tensors[f"{DOWN}.{key}"] = values(tensors[f"{DOWN}.{key}"]) if callable(values) else values

    return change


def configure(**told: Any) -> Callable[[dict[str, np.ndarray], Config], None]:
    def change(tensors: dict[str, np.ndarray], config: Config) -> None:
        config["quantization_config"] = config["quantization_config"] | told

    return change


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("gptq", harm("g_idx", lambda found: found[::-1].copy()), f"{DOWN}.weight: .*desc_act"),
        ("gptq", harm("scales", lambda found: found * np.float16(np.inf)), "not finite"),
        ("awq", harm("scales", lambda found: found.astype(np.float32) * 1.001), "half precision cannot represent"),
        ("awq", harm("qweight", lambda found: found[1:]), "qweight has the shape"),
        ("awq", harm("qweight", lambda found: found.astype(np.float64)), "qweight is of type F64"),
        ("fp8_blocks", harm("weight_scale_inv", lambda found: found[:1]), "weight_scale_inv has the shape"),
        ("fp8_rows", harm("weight_scale", lambda found: found[:5]), "5 scales for 256 rows"),
        ("fp8_tensor", harm("weight", lambda found: np.full_like(found, np.nan)), "not finite"),
        ("awq", harm("bias", np.ones(256, np.float16)), "has a tensor model.layers.1.mlp.down_proj.bias"),
        ("awq", configure(bits=8), "AWQ other than"),
        ("awq", configure(version="marlin"), "AWQ other than"),
        ("gptq", configure(bits=3), "GPTQ and 3 bits are not supported"),
        ("gptq", configure(group_size=0), "groups of 0"),
        ("gptq", configure(group_size=160), "not a multiple of the group size 160"),
        ("fp8_blocks", configure(weight_block_size=[1]), r"blocks of \[1\]"),
        ("fp8_blocks", configure(quant_method="bitsandbytes"), "unknown quant_method"),
        ("fp8_blocks", configure(quant_method=["awq"]), "unknown quant_method"),
        ("fp8_rows", configure(format="pack-quantized"), "pack-quantized"),
    ],
)
def test_what_cannot_be(
    name: str, change: Callable[[dict[str, np.ndarray], Config], None], said: str, tmp_path: Path
) -> None:
    write(tmp_path, name, change)
    with pytest.raises(HipportError, match=said), open_checkpoint(tmp_path, Formats("native")) as model:
        list(model.tensors())


def test_biases_of_zeros_are_passed_over(tmp_path: Path) -> None:
    write(tmp_path, "gptq", harm("bias", np.zeros(256, np.float16)))
    with open_checkpoint(tmp_path, Formats("native")) as model:
        assert len(list(model.tensors())) > 0
