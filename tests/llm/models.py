"""Small models in Hugging Face's layout, with random weights."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors.numpy import save_file

from hipport.llm.weights.formats import USUAL, Formats
from hipport.llm.weights.packing import pack, unpack

Config = dict[str, Any]
Weights = dict[str, npt.NDArray[Any]]

COMMON: Config = {
    "hidden_size": 192,
    "intermediate_size": 320,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 64,
    "vocab_size": 500,
    "max_position_embeddings": 128,
    "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0,
    "hidden_act": "silu",
    "tie_word_embeddings": False,
    "eos_token_id": 2,
}
_LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}

_YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32}

# Llama 2 is computed as Mistral is.
MODELS: Mapping[str, Config] = {
    "llama3": COMMON
    | {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "rope_theta": 500000.0, "rope_scaling": _LLAMA3},
    "mistral": COMMON
    | {
        "architectures": ["MistralForCausalLM"],
        "model_type": "mistral",
        "sliding_window": 4096,
        "intermediate_size": 360,
    },
    "qwen2": COMMON
    | {
        "architectures": ["Qwen2ForCausalLM"],
        "model_type": "qwen2",
        "hidden_size": 256,
        "tie_word_embeddings": True,
        "rope_theta": 1000000.0,
        "rms_norm_eps": 1e-6,
        "sliding_window": 64,
        "use_sliding_window": False,
    },
    "qwen3": COMMON
    | {
        "architectures": ["Qwen3ForCausalLM"],
        "model_type": "qwen3",
        "hidden_size": 256,
        "rope_theta": 1000000.0,
        "rope_scaling": _YARN,
        "attention_bias": False,
        "use_sliding_window": False,
    },
    "phi3": COMMON
    | {
        "architectures": ["Phi3ForCausalLM"],
        "model_type": "phi3",
        "hidden_size": 256,
        "rope_theta": 250000.0,
        "sliding_window": None,
        "pad_token_id": 0,
    },
}


def shapes(config: Config) -> dict[str, tuple[int, ...]]:
    """Return the shapes of a model's tensors by transformers' names."""
    width, hidden, head_width = config["hidden_size"], config["intermediate_size"], config["head_dim"]
    queries, keys = config["num_attention_heads"] * head_width, config["num_key_value_heads"] * head_width
    found: dict[str, tuple[int, ...]] = {"model.embed_tokens.weight": (config["vocab_size"], width)}
    for layer in range(config["num_hidden_layers"]):
        own = {
            "input_layernorm.weight": (width,),
            "self_attn.q_proj.weight": (queries, width),
            "self_attn.k_proj.weight": (keys, width),
            "self_attn.v_proj.weight": (keys, width),
            "self_attn.o_proj.weight": (width, queries),
            "post_attention_layernorm.weight": (width,),
            "mlp.gate_proj.weight": (hidden, width),
            "mlp.up_proj.weight": (hidden, width),
            "mlp.down_proj.weight": (width, hidden),
        }
        if config["model_type"] == "phi3":
            own = {name: shape for name, shape in own.items() if not _is_fused(name)}
            own |= {
                "self_attn.qkv_proj.weight": (queries + 2 * keys, width),
                "mlp.gate_up_proj.weight": (2 * hidden, width),
            }
        if config["model_type"] == "qwen3":
            own |= {f"self_attn.{name}_norm.weight": (head_width,) for name in "qk"}
        if config["model_type"] == "qwen2":
            own |= {f"self_attn.{name}_proj.bias": (queries if name == "q" else keys,) for name in "qkv"}
        found |= {f"model.layers.{layer}.{name}": shape for name, shape in own.items()}
    found["model.norm.weight"] = (width,)
    if not config["tie_word_embeddings"]:
        found["lm_head.weight"] = (config["vocab_size"], width)
    return found


def _is_fused(name: str) -> bool:
    """Return whether the matrix is a part of a larger one in Phi-3."""
    return any(f".{part}_proj." in f".{name}" for part in ("q", "k", "v", "gate", "up"))


def make_weights(config: Config, seed: int) -> Weights:
    """Return random weights, large enough that attention prefers some positions."""
    random = np.random.default_rng(seed)
    return {name: _made(random, name, shape) for name, shape in shapes(config).items()}


def quantized(config: Config, weights: Weights, formats: Formats = USUAL) -> Weights:
    """Return the weights as the engine stores them: matrices except the embedding quantized, the rest in 16 bits."""
    found = {name: values.astype(formats.number) for name, values in weights.items()}
    for name, values in weights.items():
        if values.ndim == 2 and not name.startswith("model.embed"):
            found[name] = unpack(pack(values, formats.packing), formats.packing, *values.shape)
    return found


def untied(config: Config, weights: Weights) -> tuple[Config, Weights]:
    """Return the model with a separate head: the engine's head has 4 bits, its embedding does not."""
    if not config["tie_word_embeddings"]:
        return config, weights
    embedding = weights["model.embed_tokens.weight"]
    return config | {"tie_word_embeddings": False}, weights | {"lm_head.weight": embedding}


def write_model(folder: Path, config: Config, weights: Weights, shards: int = 1) -> Path:
    """Write a model's folder; with several shards, also an index."""
    # safetensors writes what lies in memory, whatever the order of an array.
    weights = {name: np.ascontiguousarray(values) for name, values in weights.items()}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    if shards == 1:
        save_file(weights, folder / "model.safetensors")
        return folder
    names = {name: f"model-{i % shards + 1:05}-of-{shards:05}.safetensors" for i, name in enumerate(weights)}
    for file in sorted(set(names.values())):
        save_file({name: weights[name] for name in weights if names[name] == file}, folder / file)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": names}))
    return folder


def _made(random: np.random.Generator, name: str, shape: tuple[int, ...]) -> npt.NDArray[np.float32]:
    values = random.standard_normal(shape, np.float32)
    if "norm" in name:
        return 1.0 + 0.1 * values
    if len(shape) == 1:
        return 0.5 * values
    return values if "embed" in name else values * np.float32(1.4 / np.sqrt(shape[1]))
