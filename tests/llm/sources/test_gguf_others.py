"""Other models than Llama's in GGUF files, with quantized matrices: mixtures of experts, Gemma 3 and others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hipport.builds.shipped import Target
from hipport.errors import HipportError
from hipport.llm.runtime.engine import Engine, Sampling
from hipport.llm.runtime.opening import open_engine
from hipport.llm.sources.checkpoints import open_checkpoint
from hipport.llm.weights.formats import Formats
from tests.llm.gguf_others import write_other
from tests.llm.models import Config, write_model
from tests.llm.other_models import OTHERS

_WIDE = {"intermediate_size": 256}
_YARN = OTHERS["deepseek_v3"]["rope_scaling"] | {"mscale": 1.0, "mscale_all_dim": 1.0}
FILES: dict[str, tuple[Config, dict[str, str]]] = {
    "qwen3_moe": (
        OTHERS["qwen3_moe"] | _WIDE | {"moe_intermediate_size": 256},
        {"down_exps": "Q6_K", "exps": "Q4_K", "": "Q8_0"},
    ),
    "mixtral": (OTHERS["mixtral"] | _WIDE | {"hidden_size": 256}, {"exps": "IQ4_XS", "": "Q5_1"}),
    "gpt_oss": (OTHERS["gpt_oss"], {"exps": "MXFP4", "": "Q8_0"}),
    # Every sixth layer sees all positions.
    "gemma3": (
        OTHERS["gemma3"] | _WIDE | {"num_hidden_layers": 6, "layer_types": None, "query_pre_attn_scalar": 256},
        {"": "Q4_K", "token_embd": "Q6_K"},
    ),
    "qwen2_moe": (
        OTHERS["qwen2_moe"]
        | _WIDE
        | {"hidden_size": 256, "shared_expert_intermediate_size": 512, "mlp_only_layers": []},
        {"exps": "Q5_1", "shexp": "Q4_K", "": "Q8_0"},
    ),
    "deepseek_v2": (
        OTHERS["deepseek_v2"] | _WIDE | {"moe_intermediate_size": 256, "rope_scaling": _YARN},
        {"exps": "Q4_K", "ffn": "Q6_K", "": "Q8_0"},
    ),
    # Keys and values of latent attention are separate.
    "deepseek_v3": (
        OTHERS["deepseek_v3"] | _WIDE | {"moe_intermediate_size": 256, "rope_scaling": _YARN, "split": True},
        {"exps": "Q4_K", "attn_output": "Q6_K", "": "Q8_0"},
    ),
    "glm4_moe": (
        OTHERS["glm4_moe"] | _WIDE | {"hidden_size": 256, "moe_intermediate_size": 256, "num_nextn_predict_layers": 1},
        {"down_exps": "Q6_K", "exps": "Q4_K", "": "Q8_0"},
    ),
    "ernie4_5_moe": (
        OTHERS["ernie4_5_moe"] | _WIDE | {"hidden_size": 256, "moe_intermediate_size": 256},
        {"exps": "Q4_K", "shexp": "Q6_K", "": "Q8_0"},
    ),
}


def files(folder: Path, name: str) -> tuple[Path, Path]:
    """Write a GGUF file, and a folder with the weights that the package gguf decodes from it."""
    config, kinds = FILES[name]
    weights = write_other(folder / "model.gguf", config, dict(sorted(kinds.items(), reverse=True)), 1)
    written = {key: value for key, value in config.items() if value is not None or key == "q_lora_rank"}
    return folder / "model.gguf", write_model(folder / "folder", written, weights)


@pytest.mark.parametrize("name", FILES)
def test_the_configuration_is_that_of_the_folder(tmp_path: Path, name: str) -> None:
    file, folder = files(tmp_path, name)
    with open_checkpoint(file) as ours, open_checkpoint(folder) as theirs:
        same = replace(theirs.config, end_tokens=ours.config.end_tokens, epsilon=ours.config.epsilon)
        assert replace(ours.config, rope=same.rope, query_scale=same.query_scale) == same
        assert ours.config.query_scale == pytest.approx(same.query_scale, rel=1e-6)
        assert ours.config.rope.rotated == same.rope.rotated
        assert ours.config.rope.attention == pytest.approx(same.rope.attention)
        assert ours.config.rope.theta == same.rope.theta and ours.config.rope.factor == same.rope.factor
        np.testing.assert_allclose(ours.config.rope.divisors, same.rope.divisors, rtol=1e-6)
        assert ours.source.preferred == "native"


@pytest.mark.toolchain
@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_quantized_matrices_give_the_logits_of_decoded_ones(tmp_path: Path, name: str, target32: Target) -> None:
    file, folder = files(tmp_path, name)
    native, decoded = (run(path, Formats(weights), target32) for path, weights in ((file, "native"), (folder, "16bit")))
    assert np.abs(native - decoded).max() <= 1e-2 * np.abs(decoded).max()


def run(path: Path, formats: Formats, target: Target) -> np.ndarray:
    """Return the logits of a prompt whose products are sorted by expert, and of three steps after it."""
    with open_checkpoint(path, formats) as model, open_engine(model, target, positions=64) as engine:
        tokens = np.random.default_rng(1).integers(0, 500, 43).tolist()
        first = engine.prefill(tokens[:40], logits=True)
        assert first is not None
        return np.stack([first, *(step(engine, token, 40 + i) for i, token in enumerate(tokens[40:]))])


def step(engine: Engine, token: int, position: int) -> np.ndarray:
    found = engine.decode([token], [position], [0], [Sampling()], logits=True)[1]
    assert found is not None
    return found[0]


def test_experts_in_separate_tensors_are_refused(tmp_path: Path) -> None:
    config, kinds = FILES["mixtral"]
    write_other(tmp_path / "model.gguf", config | {"num_local_experts": 3}, kinds, 1)
    data = (tmp_path / "model.gguf").read_bytes().replace(b"blk.0.ffn_up_exps", b"blk.0.ffn_up.0.ep")
    (tmp_path / "model.gguf").write_bytes(data)
    with (
        pytest.raises(HipportError, match=r"lacks the tensor blk\.0\.ffn_up_exps"),
        open_checkpoint(tmp_path / "model.gguf"),
    ):
        pass


def test_tensors_behind_the_layers_that_predict_further_tokens_are_refused(tmp_path: Path) -> None:
    config, kinds = FILES["glm4_moe"]
    write_other(tmp_path / "model.gguf", config, dict(sorted(kinds.items(), reverse=True)), 1)
    layers = config["num_hidden_layers"]
    data = (tmp_path / "model.gguf").read_bytes()
    (tmp_path / "model.gguf").write_bytes(data.replace(b"blk.%d.nextn" % layers, b"blk.%d.nextn" % (layers + 1)))
    with (
        pytest.raises(HipportError, match=rf"has a tensor blk\.{layers + 1}\.nextn\.eh_proj"),
        open_checkpoint(tmp_path / "model.gguf"),
    ):
        pass
