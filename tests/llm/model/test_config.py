"""Reading a `config.json`: accepted and rejected contents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hipport.errors import HipportError
from hipport.llm.model.config import RANDOM_MODELS, read_config
from hipport.llm.model.experts import Experts, Routing
from hipport.llm.model.latent import Latent
from hipport.llm.model.rope import frequencies, rope_table, rotated_order
from hipport.llm.model.rope_scaling import Rope, Yarn
from hipport.llm.weights.tensors import wanted
from hipport.llm.weights.tile_formats import FourBits
from tests.llm.models import MODELS
from tests.llm.other_models import OTHERS

FULL, SLIDING = "full_attention", "sliding_attention"
LONG = {"rope_scaling": {"rope_type": "longrope", "short_factor": [1.0], "long_factor": [1.0]}}


def write(folder: Path, **changes: Any) -> Path:
    """Write a folder with a configuration; keys set to None are removed."""
    data = {name: value for name, value in (MODELS["mistral"] | changes).items() if value is not None}
    (folder / "config.json").write_text(json.dumps(data))
    return folder


def test_a_configuration(tmp_path: Path) -> None:
    config = read_config(write(tmp_path))
    assert (config.layers, config.width, config.hidden, config.padded_hidden(64)) == (2, 192, 360, 384)
    assert (config.heads, config.kv_heads, config.head_width, config.qkv_rows) == (4, 2, 64, 512)
    assert (config.positions, config.qkv_bias, config.tied, config.end_tokens) == (128, False, False, (2,))


def test_what_is_not_said(tmp_path: Path) -> None:
    config = read_config(write(tmp_path, num_key_value_heads=None, head_dim=None, hidden_size=256, eos_token_id=None))
    assert (config.kv_heads, config.head_width, config.end_tokens) == (4, 64, ())


@pytest.mark.parametrize(
    ("architecture", "changes", "windows"),
    [
        ("MistralForCausalLM", {"sliding_window": 32}, (32, 32, 32)),
        ("MistralForCausalLM", {"sliding_window": None}, ()),
        ("MistralForCausalLM", {"sliding_window": 128}, ()),
        ("MistralForCausalLM", {"sliding_window": 127}, (127, 127, 127)),
        ("Qwen2ForCausalLM", {"sliding_window": 32}, ()),
        ("Qwen2ForCausalLM", {"sliding_window": 32, "use_sliding_window": True, "max_window_layers": 1}, (0, 32, 32)),
        ("Qwen2ForCausalLM", {"sliding_window": 32, "use_sliding_window": True, "max_window_layers": 3}, ()),
        ("Gemma3ForCausalLM", {"sliding_window": 8, "sliding_window_pattern": 3, "hidden_act": None}, (8, 8, 0)),
        ("MistralForCausalLM", {"sliding_window": 8, "layer_types": [SLIDING, FULL, SLIDING]}, (8, 0, 8)),
    ],
)
def test_windows_of_layers(
    tmp_path: Path, architecture: str, changes: dict[str, Any], windows: tuple[int, ...]
) -> None:
    config = read_config(write(tmp_path, architectures=[architecture], num_hidden_layers=3, **changes))
    assert config.windows == windows
    assert config.positions == 128


def test_models_that_need_a_general_build(tmp_path: Path) -> None:
    general = {name: config for name, config in OTHERS.items() if read_config(write(tmp_path, **config)).general}
    names = ["llama, heads of 80", "qwen3_moe", "qwen3_moe, of all", "mixtral", "gemma3", "gpt_oss", "qwen2_moe"]
    assert list(general) == [*names, "deepseek_v2", "deepseek_v2, groups", "deepseek_v3", "glm4_moe", "ernie4_5_moe"]


def test_latent_attention(tmp_path: Path) -> None:
    config = read_config(write(tmp_path, **OTHERS["deepseek_v3"]))
    assert config.latent == Latent(query_rank=64, rank=64, nope=128, rope=64, value=128)
    assert config.head_width == 192 and config.kv_heads == 2 and config.rope.rotated == 64
    assert config.rope.attention == pytest.approx((1 + 0.0707 * np.log(8)) / (1 + 0.1 * np.log(8)))
    assert config.query_scale == pytest.approx((1 + 0.1 * np.log(8)) ** 2)
    padded = read_config(write(tmp_path, **OTHERS["deepseek_v2, groups"]))
    assert padded.head_width == 64 and padded.query_scale == pytest.approx((64 / 48) ** 0.5)


def test_what_deepseek_v3_may_leave_out(tmp_path: Path) -> None:
    names = ("q_lora_rank", "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim", "n_group")
    names += ("topk_group", "first_k_dense_replace", "routed_scaling_factor", "norm_topk_prob", "n_shared_experts")
    config = read_config(write(tmp_path, **OTHERS["deepseek_v3"] | dict.fromkeys(names) | {"n_routed_experts": 256}))
    assert config.latent == Latent(query_rank=1536, rank=512, nope=128, rope=64, value=128)
    routing = Routing("sigmoid", groups=8, chosen_groups=4, best=2, biased=True, normalized=True, scale=2.5)
    assert config.experts == Experts(256, 3, routing=routing, dense=(0, 1, 2), dense_hidden=320, shared=72)


@pytest.mark.parametrize(
    ("changes", "dense"),
    [
        ({"decoder_sparse_step": 2}, (0, 2)),
        ({"mlp_only_layers": [3]}, (3,)),
        ({"first_k_dense_replace": 2}, (0, 1)),
        ({"moe_layer_freq": 2}, (1, 3)),
        ({"moe_layer_start_index": 1, "moe_layer_end_index": 2, "moe_layer_interval": 2}, (0, 2, 3)),
    ],
)
def test_dense_layers(tmp_path: Path, changes: dict[str, Any], dense: tuple[int, ...]) -> None:
    experts = read_config(write(tmp_path, **OTHERS["qwen3_moe"] | changes | {"num_hidden_layers": 4})).experts
    assert experts and experts.dense == dense and experts.dense_hidden == 320


def test_gemma(tmp_path: Path) -> None:
    config = read_config(write(tmp_path, **OTHERS["gemma3"]))
    assert config.rope == Rope(100000.0, 4.0) and config.local_rope == Rope(10000.0)
    assert config.query_scale == pytest.approx((256 / 168) ** 0.5)
    new = {
        "full_attention": {"rope_type": "linear", "factor": 4.0, "rope_theta": 100000.0},
        "sliding_attention": {"rope_type": "default", "rope_theta": 7000.0},
    }
    config = read_config(write(tmp_path, **OTHERS["gemma3"], rope_parameters=new))
    assert config.rope == Rope(100000.0, 4.0) and config.local_rope == Rope(7000.0)


def test_longrope_depends_on_the_length(tmp_path: Path) -> None:
    rope = read_config(write(tmp_path, **OTHERS["phi4, longrope"])).rope
    assert rope.rotated == 48 and rope.attention == pytest.approx((1 + np.log(32) / np.log(4)) ** 0.5)
    np.testing.assert_allclose(frequencies(rope.for_positions(4), 64), frequencies(Rope(), 48))
    np.testing.assert_allclose(frequencies(rope.for_positions(5), 64) * rope.long_divisors, frequencies(Rope(), 48))
    table = rope_table(rope, 64, 5)
    assert (table[:, 24:] == [1.0, 0.0]).all() and table[0, 0, 0] == np.float32(rope.attention)


def test_pairs_of_a_partial_rotation_are_half_a_head_apart() -> None:
    order = rotated_order(Rope(rotated=48), 64)
    assert sorted(order) == list(range(64))
    assert (order[32:56] - order[:24] == 24).all() and order[:24].tolist() == list(range(24))
    assert rotated_order(Rope(), 64).tolist() == list(range(64))


def test_the_generation_configuration_says_what_ends_a_text(tmp_path: Path) -> None:
    (tmp_path / "generation_config.json").write_text('{"eos_token_id": [7, 9]}')
    assert read_config(write(tmp_path)).end_tokens == (7, 9)
    (tmp_path / "generation_config.json").write_text("{}")
    assert read_config(write(tmp_path)).end_tokens == (2,)


@pytest.mark.parametrize(
    ("changes", "rope"),
    [
        ({}, Rope(10000.0)),
        ({"rope_theta": None, "rope_parameters": {"rope_type": "default", "rope_theta": 5e5}}, Rope(5e5)),
        ({"rope_scaling": {"type": "linear", "factor": 4}}, Rope(10000.0, 4.0)),
        ({"rope_scaling": MODELS["llama3"]["rope_scaling"]}, Rope(10000.0, 8.0, 1.0, 4.0, 64)),
        ({"rope_scaling": {"rope_type": "yarn", "factor": 2.0}}, Yarn(2.0, 128).rope(10000.0, 64)),
        (
            {"rope_scaling": {"rope_type": "yarn", "factor": 2.0, "beta_fast": 16, "attention_factor": 1.5}},
            Yarn(2.0, 128, fast=16.0).rope(10000.0, 64, 1.5),
        ),
        ({"rope_scaling": {"rope_type": "yarn", "factor": 2.0, "mscale": 0.5}}, Yarn(2.0, 128).rope(10000.0, 64)),
        (
            {"rope_scaling": {"rope_type": "yarn", "factor": 2.0, "mscale": 0.5, "mscale_all_dim": 0.5}},
            Yarn(2.0, 128).rope(10000.0, 64, 1.0),
        ),
    ],
)
def test_rope(tmp_path: Path, changes: dict[str, Any], rope: Rope) -> None:
    assert read_config(write(tmp_path, **changes)).rope == rope


def test_a_linear_factor_divides_all_frequencies() -> None:
    np.testing.assert_allclose(frequencies(Rope(1e4, 4.0), 64) * 4, frequencies(Rope(1e4), 64))
    table = rope_table(Rope(), 64, 3)
    assert table.shape == (3, 32, 2)
    assert table[2, 0] == pytest.approx([np.cos(2), np.sin(2)])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"architectures": ["GPT2LMHeadModel"]}, "GPT2LMHeadModel is not supported"),
        ({"architectures": None}, "a model without an architecture is not supported"),
        ({"hidden_size": None}, "lacks 'hidden_size'"),
        ({"hidden_size": 200}, "a width of 200"),
        ({"head_dim": 72}, "4 heads of 72"),
        ({"num_key_value_heads": 3}, "3 for keys"),
        ({"num_hidden_layers": 0}, "num_hidden_layers is 0"),
        ({"num_hidden_layers": "two"}, "num_hidden_layers is 'two'"),
        ({"vocab_size": True}, "vocab_size is True"),
        ({"hidden_act": "gelu"}, "the activation gelu"),
        ({"attention_bias": True}, "attention_bias is not supported"),
        ({"rope_scaling": {"rope_type": "longrope"}}, "lacks 'original_max_position_embeddings'"),
        (LONG | {"original_max_position_embeddings": 64}, "short_factor is not 32 numbers above 0"),
        ({"rope_scaling": {"rope_type": "ntk", "factor": 2}}, "'ntk' is not supported"),
        ({"rope_scaling": {"rope_type": "yarn"}}, "lacks 'factor'"),
        ({"rope_scaling": {"rope_type": "yarn", "factor": 0.5}}, "YaRN's factor, beta_fast and beta_slow are 0.5"),
        ({"rope_scaling": {"rope_type": "yarn", "factor": "many"}}, "is not a valid configuration"),
        ({"partial_rotary_factor": 1.75}, "112 of 64 dimensions"),
        ({"partial_rotary_factor": 0.0}, "0 of 64 dimensions"),
        ({"sliding_window": 8, "layer_types": ["full_attention"]}, "layer_types is not a list of 2 layers"),
        ({"sliding_window": 8, "layer_types": ["full_attention", "chunked"]}, "type 'chunked'"),
        ({"final_logit_softcapping": 30.0}, "final_logit_softcapping is not supported"),
        (OTHERS["qwen3_moe"] | {"mlp_only_layers": ["1"]}, "mlp_only_layers is"),
        (OTHERS["deepseek_v2"] | {"topk_method": "noaux_tc"}, "topk_method is 'noaux_tc'"),
        (OTHERS["deepseek_v2"] | {"norm_topk_prob": True}, "norm_topk_prob"),
        (OTHERS["deepseek_v2"] | {"scoring_func": "sigmoid"}, "scores of experts by 'sigmoid'"),
        (OTHERS["deepseek_v2"] | {"attention_bias": True}, "attention_bias is not supported"),
        (OTHERS["deepseek_v2"] | {"kv_lora_rank": 72}, "latent vectors of 72"),
        (OTHERS["deepseek_v2"] | {"kv_lora_rank": 576}, "latent vectors of 576 and rotated parts of 16 dimensions"),
        (OTHERS["deepseek_v2"] | {"qk_rope_head_dim": 80}, "the engine takes up to 512 and 64"),
        (OTHERS["deepseek_v2"] | {"qk_rope_head_dim": 24}, "heads of 32 and 24 dimensions"),
        (OTHERS["deepseek_v2"] | {"qk_nope_head_dim": 256}, "heads of 272; the engine takes heads of up to 256"),
        (OTHERS["deepseek_v2, groups"] | {"n_group": 3}, "2 of 3 groups of 8 experts"),
        (OTHERS["deepseek_v2, groups"] | {"topk_group": 1}, "3 experts of 1 of 4 groups"),
        (OTHERS["deepseek_v3"] | {"first_k_dense_replace": "all"}, "first_k_dense_replace is 'all'"),
        (OTHERS["deepseek_v3"] | {"topk_method": "greedy"}, "topk_method is 'greedy'"),
        (OTHERS["deepseek_v3"] | {"num_nextn_predict_layers": -1}, "num_nextn_predict_layers is -1"),
        (OTHERS["deepseek_v3"] | {"n_shared_experts": 10**9}, "1000000000 experts that all tokens take"),
        (OTHERS["deepseek_v3"] | {"num_hidden_layers": 10**9}, "layers exceed the limit of 1000"),
        (OTHERS["ernie4_5_moe"] | {"use_bias": True}, "use_bias is not supported"),
        (OTHERS["qwen3_moe"] | {"num_experts": 513}, "2 of 513 experts"),
        (OTHERS["qwen3_moe"] | {"num_experts_per_tok": 8}, "8 of 7 experts"),
        (OTHERS["gemma3"] | {"hidden_activation": "silu"}, "the activation silu"),
        (OTHERS["gemma3"] | {"hidden_size": 272}, "a width of 272"),
        ({"rope_scaling": {"rope_type": "llama3", "factor": 2}}, "lacks 'low_freq_factor'"),
        ({"rope_scaling": [1]}, "is not a valid configuration"),
        ({"rope_theta": 0.5}, "theta is 0.5"),
        ({"rms_norm_eps": "small"}, "is not a valid configuration"),
        ({"eos_token_id": "end"}, "is not a valid configuration"),
        ({"eos_token_id": ["end"]}, "is not a valid configuration"),
        ({"architectures": 5}, "is not a valid configuration"),
    ],
)
def test_what_is_refused(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(HipportError, match=said) as caught:
        read_config(write(tmp_path, **changes))
    assert str(tmp_path / "config.json") in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"), [(None, "cannot read"), ("{", "is not valid JSON"), ("[]", "is not a JSON object")]
)
def test_a_file_that_is_none(tmp_path: Path, text: str | None, said: str) -> None:
    if text is not None:
        (tmp_path / "config.json").write_text(text)
    with pytest.raises(HipportError, match=said):
        read_config(tmp_path)


def test_the_weights_of_llama2_7b_are_as_large_as_they_must_be() -> None:
    """4.5 bits for each of 6,607,077,376 weights in matrices."""
    tensors = wanted(RANDOM_MODELS["llama2-7b"], FourBits(32))
    packed = sum(tensor.bytes for tensor in tensors if tensor.packing)
    assert packed == 6_607_077_376 * 9 // 16
