"""The models of `other_models.py` as GGUF files, in llama.cpp's conventions, with quantized experts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGMLQuantizationType, GGUFWriter

from hipport.llm.sources.gguf.names import gguf_name
from tests.llm.models import Config, Weights
from tests.llm.native_blocks import decoded, random_blocks
from tests.llm.other_models import make_others

NAMES: Mapping[str, str] = {
    "qwen3_moe": "qwen3moe",
    "mixtral": "llama",
    "gemma3_text": "gemma3",
    "gpt_oss": "gpt-oss",
    "phi3": "phi3",
}
"""GGUF's architectures by Hugging Face's `model_type`."""
_GATES = {"gate": slice(0, None, 2), "up": slice(1, None, 2)}


def write_other(path: Path, config: Config, kinds: Mapping[str, str], seed: int) -> Weights:
    """Write a model whose matrices are random blocks of quantized types; return the weights, for a folder.

    `kinds` has types by words in GGUF's names, "" for all others. Vectors and routers are floats.
    """
    random, architecture = np.random.default_rng(seed), NAMES[config["model_type"]]
    weights = make_others(config, seed)
    weights["model.embed_tokens.weight"] *= np.float32(0.02 if architecture == "gemma3" else 1.0)
    writer, kept = GGUFWriter(path, architecture), {}
    for name, value in _told(architecture, config).items():
        _add(writer, name, value)
    for name, values in _whole(architecture, weights).items():
        kind = next(kind for word, kind in kinds.items() if word in name)
        if values.ndim == 1 or name.endswith("bias") or "gate_inp" in name or kind == "F32":
            data, kind = values.astype(np.float32), "F32"
        else:
            rows, columns = int(np.prod(values.shape[:-1])), values.shape[-1]
            data = random_blocks(kind, rows, columns, random, float(values.std()))
            values = decoded(data, kind).reshape(values.shape)
            data = data.reshape(*values.shape[:-1], -1)
        writer.add_tensor(name, data, raw_dtype=GGMLQuantizationType[kind])
        kept[name] = values.astype(np.float32)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return {name: _read_back(name, architecture, config, kept) for name in weights}


def _whole(architecture: str, weights: Weights) -> Weights:
    """Return the tensors of a file."""
    found: dict[str, Any] = {}
    for name, values in weights.items():
        if name.endswith(("gate_up_proj", "gate_up_proj_bias")):
            for gate, rows in _GATES.items():
                part = values[..., rows] if name.endswith("bias") else values[..., rows].swapaxes(1, 2)
                found[_fused(name, gate, architecture)] = part
        elif name.endswith(("experts.down_proj", "experts.down_proj_bias")):
            found[_fused(name, "down", architecture)] = values if name.endswith("bias") else values.swapaxes(1, 2)
        elif re.search(r"experts\.\d+\.", name):
            found.setdefault(gguf_name(name, architecture), []).append(values)
        else:
            found[gguf_name(name, architecture)] = _to_file(name, architecture, values)
    return {name: np.stack(values) if isinstance(values, list) else values for name, values in found.items()}


def _fused(name: str, kind: str, architecture: str) -> str:
    ending = "bias" if name.endswith("bias") else "weight"
    return gguf_name(f"{name[: name.index('experts')]}experts.{kind}_proj.{ending}", architecture)


def _to_file(name: str, architecture: str, values: np.ndarray) -> np.ndarray:
    """Change what llama.cpp's conversion changes: the rows of llama's queries and keys, Gemma's normalizations."""
    if architecture == "llama" and re.search(r"\.[qk]_proj\.", name):
        return values.reshape(-1, 2, 32, values.shape[1]).swapaxes(1, 2).reshape(values.shape)
    return values + 1 if architecture == "gemma3" and "norm" in name else values


def _read_back(name: str, architecture: str, config: Config, kept: Weights) -> np.ndarray:
    if name.endswith(("gate_up_proj", "gate_up_proj_bias")):
        gate, up = (kept[_fused(name, kind, architecture)] for kind in _GATES)
        both = np.stack((gate, up), axis=2).reshape(len(gate), -1, *gate.shape[2:])
        return both if name.endswith("bias") else both.swapaxes(1, 2)
    if name.endswith(("experts.down_proj", "experts.down_proj_bias")):
        values = kept[_fused(name, "down", architecture)]
        return values if name.endswith("bias") else values.swapaxes(1, 2)
    values = kept[gguf_name(name, architecture)]
    if found := re.search(r"experts\.(\d+)\.", name):
        return values[int(found[1])]
    if architecture == "llama" and re.search(r"\.[qk]_proj\.", name):
        return values.reshape(-1, 32, 2, values.shape[1]).swapaxes(1, 2).reshape(values.shape)
    return values - 1 if architecture == "gemma3" and "norm" in name else values


def _told(architecture: str, config: Config) -> dict[str, Any]:
    told = {
        "block_count": config["num_hidden_layers"],
        "embedding_length": config["hidden_size"],
        "feed_forward_length": config["intermediate_size"],
        "attention.head_count": config["num_attention_heads"],
        "attention.head_count_kv": config["num_key_value_heads"],
        "attention.key_length": config["head_dim"],
        "attention.value_length": config["head_dim"],
        "attention.layer_norm_rms_epsilon": config["rms_norm_eps"],
        "context_length": config["max_position_embeddings"],
        "rope.freq_base": config["rope_theta"],
    }
    if "num_experts_per_tok" in config:
        told["expert_count"] = config.get("num_experts") or config["num_local_experts"]
        told["expert_used_count"] = config["num_experts_per_tok"]
    if "moe_intermediate_size" in config:
        told["expert_feed_forward_length"] = config["moe_intermediate_size"]
    if config.get("sliding_window"):
        told["attention.sliding_window"] = config["sliding_window"]
    scaling = config.get("rope_scaling", {})
    if scaling:
        told |= {"rope.scaling.type": scaling["rope_type"], "rope.scaling.factor": scaling["factor"]}
    if "original_max_position_embeddings" in scaling:
        told["rope.scaling.original_context_length"] = scaling["original_max_position_embeddings"]
    return {f"{architecture}.{name}": value for name, value in told.items()} | {"tokenizer.ggml.eos_token_id": 2}


def _add(writer: GGUFWriter, name: str, value: Any) -> None:
    add = {int: writer.add_uint32, float: writer.add_float32, str: writer.add_string}[type(value)]
    add(name, value)
