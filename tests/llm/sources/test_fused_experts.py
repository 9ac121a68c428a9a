"""gpt-oss's folders: the matrices of each expert, in MXFP4 as transformers decodes it and in 16 bits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hipport.errors import HipportError
from hipport.llm.sources.checkpoints import open_checkpoint
from hipport.llm.weights.tensors import Part
from tests.llm.models import Weights, write_model
from tests.llm.other_models import OTHERS, make_others

CONFIG = OTHERS["gpt_oss"]
EXPERTS, WIDTH, HIDDEN = CONFIG["num_local_experts"], CONFIG["hidden_size"], CONFIG["intermediate_size"]
STEM = "model.layers.1.mlp.experts."


def part(name: str, *shape: int) -> Part:
    return Part(STEM + name, shape)


def packed(weights: Weights, seed: int) -> Weights:
    """Replace the matrices of experts by random blocks of MXFP4."""
    random, found = np.random.default_rng(seed), dict(weights)
    for name in [name for name in weights if name.endswith(("experts.gate_up_proj", "experts.down_proj"))]:
        count, columns, rows = found.pop(name).shape
        found[f"{name}_blocks"] = random.integers(0, 256, (count, rows, columns // 32, 16), np.uint8)
        found[f"{name}_scales"] = random.integers(118, 124, (count, rows, columns // 32), np.uint8)
    return found


def in_mxfp4(folder: Path, changes: dict[str, Any] | None = None) -> Weights:
    weights = packed(make_others(CONFIG, 1), 2)
    write_model(folder, CONFIG | {"quantization_config": {"quant_method": "mxfp4"}} | (changes or {}), weights)
    return weights


@pytest.mark.slow
def test_mxfp4_is_decoded_as_by_transformers(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from transformers.integrations.mxfp4 import convert_moe_packed_tensors

    weights = in_mxfp4(tmp_path)

    def theirs(name: str) -> np.ndarray:
        blocks, scales = (torch.tensor(weights[f"{STEM}{name}_{kind}"]) for kind in ("blocks", "scales"))
        return np.asarray(convert_moe_packed_tensors(blocks, scales, dtype=torch.float32).numpy())

    both, down = theirs("gate_up_proj"), theirs("down_proj")
    with open_checkpoint(tmp_path) as model:
        assert model.source.preferred == "native"
        for expert in (0, EXPERTS - 1):
            for name, whole in (("gate", both[expert, :, ::2]), ("up", both[expert, :, 1::2]), ("down", down[expert])):
                own = part(f"{expert}.{name}_proj.weight", *whole.T.shape)
                assert (np.asarray(model.source.read(own)) == whole.T).all()
                assert model.source.native_format(own) == ("fp4_exponent", 32)


def test_matrices_in_16_bits(tmp_path: Path) -> None:
    weights = make_others(CONFIG, 1)
    write_model(tmp_path, CONFIG, weights)
    with open_checkpoint(tmp_path) as model:
        both, down = weights[f"{STEM}gate_up_proj"], weights[f"{STEM}down_proj"]
        up = np.asarray(model.source.read(part("3.up_proj.weight", HIDDEN, WIDTH)))
        assert (up == both[3, :, 1::2].T).all()
        assert (np.asarray(model.source.read(part("3.down_proj.weight", WIDTH, HIDDEN))) == down[3].T).all()
        bias = np.asarray(model.source.read(part("gate_proj.bias", EXPERTS, HIDDEN)))
        assert (bias == weights[f"{STEM}gate_up_proj_bias"][:, ::2]).all()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"num_local_experts": 4}, r"shape \[5, 256\], but config\.json requires \[4, 256\]"),
        ({"quantization_config": {"quant_method": "mxfp3"}}, "unknown quant_method"),
        ({"model_type": "llama"}, "MXFP4, except gpt-oss's, are not supported"),
    ],
)
def test_what_is_refused(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    in_mxfp4(tmp_path, changes)
    with pytest.raises(HipportError, match=said), open_checkpoint(tmp_path):
        pass


def test_a_missing_tensor_is_named(tmp_path: Path) -> None:
    weights = packed(make_others(CONFIG, 1), 2)
    del weights[f"{STEM}down_proj_scales"]
    write_model(tmp_path, json.loads(json.dumps(CONFIG)) | {"quantization_config": {"quant_method": "mxfp4"}}, weights)
    with (
        pytest.raises(HipportError, match=r"lacks the tensor model\.layers\.1\.mlp\.experts\.down_proj_scales"),
        open_checkpoint(tmp_path),
    ):
        pass
