"""Small models that differ from Llama in more than their sizes, with random weights, in Hugging Face's layout.

They are compared with transformers only; `models.py` has those that the tests' own reference computes, too.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hipport.llm.weights.formats import USUAL, Formats
from hipport.llm.weights.packing import pack, unpack
from tests.llm.models import COMMON, Config, Weights, shapes

_SLIDING = ["sliding_attention", "full_attention"]
_EXPERTS: Config = {"num_experts_per_tok": 2, "attention_bias": False, "use_sliding_window": False}
_FACTORS = [1.0 + i / 8 for i in range(24)]
_PHI: Config = COMMON | {"architectures": ["Phi3ForCausalLM"], "model_type": "phi3", "pad_token_id": 0}

_DEEPSEEK: Config = {key: value for key, value in COMMON.items() if key != "head_dim"} | {
    "hidden_size": 256,
    "num_key_value_heads": 4,
    "num_hidden_layers": 3,
    "first_k_dense_replace": 1,
    "n_routed_experts": 8,
    "num_experts_per_tok": 3,
    "n_shared_experts": 2,
    "moe_intermediate_size": 72,
    "kv_lora_rank": 64,
    "qk_nope_head_dim": 32,
    "qk_rope_head_dim": 16,
    "v_head_dim": 32,
    "attention_bias": False,
}
_V2: Config = _DEEPSEEK | {
    "architectures": ["DeepseekV2ForCausalLM"],
    "model_type": "deepseek_v2",
    "norm_topk_prob": False,
}
_MSCALE_YARN = {
    "rope_type": "yarn",
    "factor": 8.0,
    "beta_fast": 32.0,
    "beta_slow": 1.0,
    "mscale": 0.707,
    "mscale_all_dim": 1.0,
    "original_max_position_embeddings": 16,
}

OTHERS: Mapping[str, Config] = {
    "mistral, window": COMMON
    | {"architectures": ["MistralForCausalLM"], "model_type": "mistral", "sliding_window": 16},
    "qwen2, window": COMMON
    | {
        "architectures": ["Qwen2ForCausalLM"],
        "model_type": "qwen2",
        "hidden_size": 256,
        "sliding_window": 20,
        "use_sliding_window": True,
        "max_window_layers": 1,
    },
    "phi4, longrope": _PHI
    | {
        "hidden_size": 256,
        "partial_rotary_factor": 0.75,
        "original_max_position_embeddings": 4,
        "rope_scaling": {"type": "longrope", "short_factor": [1.0] * 24, "long_factor": _FACTORS},
        "sliding_window": None,
    },
    "llama, heads of 80": COMMON
    | {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 320, "head_dim": 80},
    "qwen3_moe": COMMON
    | _EXPERTS
    | {
        "architectures": ["Qwen3MoeForCausalLM"],
        "model_type": "qwen3_moe",
        "hidden_size": 256,
        "num_experts": 7,
        "moe_intermediate_size": 128,
        "norm_topk_prob": True,
    },
    "qwen3_moe, of all": COMMON
    | _EXPERTS
    | {
        "architectures": ["Qwen3MoeForCausalLM"],
        "model_type": "qwen3_moe",
        "num_experts": 6,
        "num_experts_per_tok": 3,
        "moe_intermediate_size": 72,
        "norm_topk_prob": False,
    },
    "mixtral": COMMON
    | {
        "architectures": ["MixtralForCausalLM"],
        "model_type": "mixtral",
        "num_local_experts": 4,
        "num_experts_per_tok": 2,
        "sliding_window": None,
        "intermediate_size": 192,
    },
    "gemma3": COMMON
    | {
        "architectures": ["Gemma3ForCausalLM"],
        "model_type": "gemma3_text",
        "hidden_size": 256,
        "head_dim": 256,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "num_hidden_layers": 3,
        "hidden_activation": "gelu_pytorch_tanh",
        "query_pre_attn_scalar": 168,
        "sliding_window": 16,
        "layer_types": [*_SLIDING, "sliding_attention"],
        "rope_theta": 100000.0,
        "rope_local_base_freq": 10000.0,
        "rope_scaling": {"rope_type": "linear", "factor": 4.0},
        "tie_word_embeddings": True,
        "rms_norm_eps": 1e-6,
    },
    "gpt_oss": COMMON
    | {
        "architectures": ["GptOssForCausalLM"],
        "model_type": "gpt_oss",
        "hidden_size": 256,
        "num_local_experts": 5,
        "num_experts_per_tok": 2,
        "intermediate_size": 128,
        "attention_bias": True,
        "sliding_window": 16,
        "layer_types": _SLIDING,
        "rope_theta": 150000.0,
        "rope_scaling": {
            "rope_type": "yarn",
            "factor": 8.0,
            "beta_fast": 32.0,
            "beta_slow": 1.0,
            "truncate": False,
            "original_max_position_embeddings": 16,
        },
    },
    "qwen2_moe": COMMON
    | _EXPERTS
    | {
        "architectures": ["Qwen2MoeForCausalLM"],
        "model_type": "qwen2_moe",
        "num_hidden_layers": 3,
        "num_experts": 6,
        "moe_intermediate_size": 128,
        "shared_expert_intermediate_size": 200,
        "norm_topk_prob": False,
        "mlp_only_layers": [1],
    },
    "deepseek_v2": _V2
    | {
        "q_lora_rank": None,
        "topk_method": "greedy",
        "routed_scaling_factor": 1.5,
        "rope_scaling": _MSCALE_YARN,
    },
    "deepseek_v2, groups": _V2
    | {
        "q_lora_rank": 128,
        "topk_method": "group_limited_greedy",
        "n_group": 4,
        "topk_group": 2,
        "routed_scaling_factor": 2.0,
    },
    # The widths of the real models' heads.
    "deepseek_v3": _DEEPSEEK
    | {
        "architectures": ["DeepseekV3ForCausalLM"],
        "model_type": "deepseek_v3",
        "q_lora_rank": 64,
        "num_attention_heads": 2,
        "num_key_value_heads": 2,
        "qk_nope_head_dim": 128,
        "qk_rope_head_dim": 64,
        "v_head_dim": 128,
        "n_group": 4,
        "topk_group": 2,
        "topk_method": "noaux_tc",
        "scoring_func": "sigmoid",
        "norm_topk_prob": True,
        "routed_scaling_factor": 2.5,
        "rope_scaling": _MSCALE_YARN,
    },
    "glm4_moe": COMMON
    | {
        "architectures": ["Glm4MoeForCausalLM"],
        "model_type": "glm4_moe",
        "first_k_dense_replace": 1,
        "n_routed_experts": 6,
        "num_experts_per_tok": 2,
        "n_shared_experts": 1,
        "moe_intermediate_size": 128,
        "n_group": 1,
        "topk_group": 1,
        "norm_topk_prob": True,
        "routed_scaling_factor": 1.5,
        "attention_bias": True,
        "use_qk_norm": True,
        "partial_rotary_factor": 0.5,
    },
    "ernie4_5_moe": COMMON
    | {
        "architectures": ["Ernie4_5_MoeForCausalLM"],
        "model_type": "ernie4_5_moe",
        "num_hidden_layers": 3,
        "moe_num_experts": 6,
        "moe_k": 2,
        "moe_num_shared_experts": 2,
        "moe_layer_start_index": 1,
        "moe_layer_end_index": -1,
        "moe_layer_interval": 1,
        "moe_intermediate_size": 128,
        "use_bias": False,
    },
}


def other_shapes(config: Config) -> dict[str, tuple[int, ...]]:
    """Return the shapes of a model's tensors by the names in folders."""
    kind, width, layers = config["model_type"], config["hidden_size"], config["num_hidden_layers"]
    if "kv_lora_rank" in config:
        return _with_shared_experts(_with_latents(shapes(config | {"head_dim": 64}), config), config)
    found = shapes(config)
    for layer in range(layers):
        found |= {f"model.layers.{layer}.{name}": shape for name, shape in _layer(config, kind, width).items()}
        if "num_experts_per_tok" in config and kind not in _SHARED:
            for name in ("gate", "up", "down"):
                del found[f"model.layers.{layer}.mlp.{name}_proj.weight"]
    return _with_shared_experts(found, config) if kind in _SHARED else found


_SHARED = ("qwen2_moe", "glm4_moe", "ernie4_5_moe", "deepseek_v2", "deepseek_v3")
"""Models with experts that all tokens take, and with dense layers."""


def _with_latents(found: dict[str, tuple[int, ...]], config: Config) -> dict[str, tuple[int, ...]]:
    """Replace the tensors of attention by those of latent attention."""
    width, heads, rank = config["hidden_size"], config["num_attention_heads"], config["kv_lora_rank"]
    rope, value, queries = config["qk_rope_head_dim"], config["v_head_dim"], config["q_lora_rank"]
    query_rows = heads * (config["qk_nope_head_dim"] + rope)
    own: dict[str, tuple[int, ...]] = {
        "kv_a_proj_with_mqa": (rank + rope, width),
        "kv_a_layernorm": (rank,),
        "kv_b_proj": (heads * (config["qk_nope_head_dim"] + value), rank),
        "o_proj": (width, heads * value),
    }
    if queries is None:
        own["q_proj"] = (query_rows, width)
    else:
        own |= {"q_a_proj": (queries, width), "q_a_layernorm": (queries,), "q_b_proj": (query_rows, queries)}
    kept = {name: shape for name, shape in found.items() if ".self_attn." not in name}
    layers = range(config["num_hidden_layers"])
    return kept | {f"model.layers.{i}.self_attn.{name}.weight": shape for i in layers for name, shape in own.items()}


def _with_shared_experts(found: dict[str, tuple[int, ...]], config: Config) -> dict[str, tuple[int, ...]]:
    """Replace the dense networks of the layers that have experts."""
    kind, width, hidden = config["model_type"], config["hidden_size"], config["moe_intermediate_size"]
    count = next(config[key] for key in ("num_experts", "n_routed_experts", "moe_num_experts") if key in config)
    experts = {"gate_proj": (hidden, width), "up_proj": (hidden, width), "down_proj": (width, hidden)}
    own = _named("mlp.gate", "mlp.experts", experts, count, width)
    stem, total = "mlp.shared_experts", hidden * (config.get("n_shared_experts") or 2)
    if kind == "qwen2_moe":
        stem, total = "mlp.shared_expert", config["shared_expert_intermediate_size"]
        own["mlp.shared_expert_gate.weight"] = (1, width)
    if kind in ("glm4_moe", "deepseek_v3"):
        own["mlp.gate.e_score_correction_bias"] = (count,)
    if kind == "ernie4_5_moe":
        own["mlp.moe_statics.e_score_correction_bias"] = (1, count)
    own |= {f"{stem}.{name}_proj.weight": (total, width) for name in ("gate", "up")}
    own[f"{stem}.down_proj.weight"] = (width, total)
    dense = config.get("mlp_only_layers", [0])
    for layer in range(config["num_hidden_layers"]):
        if layer in dense:
            continue
        for name in ("gate", "up", "down"):
            del found[f"model.layers.{layer}.mlp.{name}_proj.weight"]
        found |= {f"model.layers.{layer}.{name}": shape for name, shape in own.items()}
    return found


def _layer(config: Config, kind: str, width: int) -> dict[str, tuple[int, ...]]:
    """Return what a layer has besides Llama's tensors."""
    head_width = config["head_dim"]
    queries, keys = config["num_attention_heads"] * head_width, config["num_key_value_heads"] * head_width
    if kind == "qwen3_moe":
        count, hidden = config["num_experts"], config["moe_intermediate_size"]
        own = {f"self_attn.{name}_norm.weight": (head_width,) for name in "qk"}
        experts = {"gate_proj": (hidden, width), "up_proj": (hidden, width), "down_proj": (width, hidden)}
        return own | _named("mlp.gate", "mlp.experts", experts, count, width)
    if kind == "mixtral":
        count, hidden = config["num_local_experts"], config["intermediate_size"]
        experts = {"w1": (hidden, width), "w3": (hidden, width), "w2": (width, hidden)}
        return _named("block_sparse_moe.gate", "block_sparse_moe.experts", experts, count, width)
    if kind == "gemma3_text":
        norms = {f"self_attn.{name}_norm.weight": (head_width,) for name in "qk"}
        return norms | {f"{name}_feedforward_layernorm.weight": (width,) for name in ("pre", "post")}
    if kind in ("qwen2_moe", "glm4_moe"):
        biases = {f"self_attn.{name}_proj.bias": (queries if name == "q" else keys,) for name in "qkv"}
        norms = {f"self_attn.{name}_norm.weight": (head_width,) for name in "qk"}
        return biases if kind == "qwen2_moe" else biases | norms
    if kind == "gpt_oss":
        count, hidden = config["num_local_experts"], config["intermediate_size"]
        biases = {"q": queries, "k": keys, "v": keys, "o": width}
        return {
            **{f"self_attn.{name}_proj.bias": (rows,) for name, rows in biases.items()},
            "self_attn.sinks": (config["num_attention_heads"],),
            "mlp.router.weight": (count, width),
            "mlp.router.bias": (count,),
            "mlp.experts.gate_up_proj": (count, width, 2 * hidden),
            "mlp.experts.gate_up_proj_bias": (count, 2 * hidden),
            "mlp.experts.down_proj": (count, hidden, width),
            "mlp.experts.down_proj_bias": (count, width),
        }
    return {}


def _named(
    router: str, stem: str, experts: Mapping[str, tuple[int, ...]], count: int, width: int
) -> dict[str, tuple[int, ...]]:
    named = {f"{stem}.{i}.{name}.weight": shape for i in range(count) for name, shape in experts.items()}
    return {f"{router}.weight": (count, width)} | named


def make_others(config: Config, seed: int) -> Weights:
    """Return random weights, large enough that attention prefers some positions and routers some experts."""
    random = np.random.default_rng(seed)
    usual = 0.5 if config["model_type"] == "gemma3_text" else 1.0  # Gemma multiplies with 1 + the weight
    return {name: _made(random, name, shape, usual) for name, shape in other_shapes(config).items()}


def _made(random: np.random.Generator, name: str, shape: tuple[int, ...], usual_norm: float) -> np.ndarray:
    values = random.standard_normal(shape, np.float32)
    if "norm" in name:
        return usual_norm + 0.1 * values
    if len(shape) == 1 or name.endswith("bias"):
        return (0.1 if "correction" in name else 0.5) * values
    columns = shape[-2] if "experts" in name and len(shape) == 3 else shape[-1]
    return values if "embed" in name else values * np.float32(1.4 / np.sqrt(columns))


_EXACT = ("bias", "mlp.gate.weight", "moe.gate.weight", "shared_expert_gate.weight")
"""Endings of the names of tensors that are kept in 16 bits."""


def kept_others(config: Config, weights: Weights, formats: Formats = USUAL) -> Weights:
    """Return the weights as the engine keeps them, with those that it changes first changed back."""
    gemma, found = config["model_type"] == "gemma3_text", {}
    for name, values in weights.items():
        if name.startswith("model.embed"):
            scale = np.float32(np.sqrt(config["hidden_size"]) if gemma else 1.0)
            found[name] = (values * scale).astype(formats.number).astype(np.float32) / scale
        elif gemma and "norm" in name:
            scale = np.float32(
                np.sqrt(config["head_dim"] / config["query_pre_attn_scalar"]) if "q_norm" in name else 1.0
            )
            found[name] = ((values + 1) * scale).astype(formats.number).astype(np.float32) / scale - 1
        elif name.endswith("correction_bias"):
            found[name] = values
        elif values.ndim == 1 or name.endswith(_EXACT) or "router" in name:
            found[name] = values.astype(formats.number)
        elif values.ndim == 3:
            found[name] = np.stack([_rounded(expert.T, formats).T for expert in values])
        else:
            found[name] = _rounded(values, formats)
    return found


def _rounded(values: np.ndarray, formats: Formats) -> np.ndarray:
    return unpack(pack(np.ascontiguousarray(values), formats.packing), formats.packing, *values.shape)
