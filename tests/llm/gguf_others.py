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
    "qwen2_moe": "qwen2moe",
    "deepseek_v2": "deepseek2",
    "deepseek_v3": "deepseek2",
    "glm4_moe": "glm4moe",
    "ernie4_5_moe": "ernie4_5-moe",
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
    for name, values in _whole(architecture, config, weights).items():
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
    if config.get("num_nextn_predict_layers"):
        further = f"blk.{config['num_hidden_layers']}.nextn.eh_proj.weight"
        writer.add_tensor(further, random.standard_normal((4, 32)).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return {name: _read_back(name, architecture, config, kept) for name in weights}


def _whole(architecture: str, config: Config, weights: Weights) -> Weights:
    """Return the tensors of a file. `split` in the configuration: keys and values of latent attention are separate."""
    found: dict[str, Any] = {}
    for name, values in weights.items():
        if name.endswith(("gate_up_proj", "gate_up_proj_bias")):
            for gate, rows in _GATES.items():
                part = values[..., rows] if name.endswith("bias") else values[..., rows].swapaxes(1, 2)
                found[_fused(name, gate, architecture)] = part
        elif name.endswith(("experts.down_proj", "experts.down_proj_bias")):
            found[_fused(name, "down", architecture)] = values if name.endswith("bias") else values.swapaxes(1, 2)
        elif config.get("split") and ".kv_b_proj." in name:
            keys, value = _halves(config, values)
            own = gguf_name(name, architecture)
            found[own.replace("kv_b", "k_b")], found[own.replace("kv_b", "v_b")] = keys.swapaxes(1, 2), value
        elif name.endswith("shared_expert_gate.weight"):
            found[gguf_name(name, architecture)] = values[0]
        elif re.search(r"experts\.\d+\.", name):
            found.setdefault(gguf_name(name, architecture), []).append(values)
        else:
            found[gguf_name(name, architecture)] = _to_file(name, architecture, values)
    return {name: np.stack(values) if isinstance(values, list) else values for name, values in found.items()}


def _halves(config: Config, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of a matrix that make keys and those that make values, [head][row][column]."""
    nope, rank = config["qk_nope_head_dim"], config["kv_lora_rank"]
    heads = values.reshape(-1, nope + config["v_head_dim"], rank)
    return heads[:, :nope], heads[:, nope:]


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
    own = gguf_name(name, architecture)
    if config.get("split") and ".kv_b_proj." in name:
        keys, value = kept[own.replace("kv_b", "k_b")], kept[own.replace("kv_b", "v_b")]
        return np.concatenate((keys.swapaxes(1, 2), value), axis=1).reshape(-1, config["kv_lora_rank"])
    values = kept[own]
    if name.endswith("shared_expert_gate.weight"):
        return values[None]
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
        "attention.layer_norm_rms_epsilon": config["rms_norm_eps"],
        "context_length": config["max_position_embeddings"],
        "rope.freq_base": config["rope_theta"],
    }
    if architecture == "deepseek2":
        told |= _told_of_deepseek(config)
    else:
        told |= {f"attention.{name}_length": config["head_dim"] for name in ("key", "value")}
    if architecture == "glm4moe":
        told |= _told_of_glm(config)
    if architecture == "ernie4_5-moe":
        told |= {"leading_dense_block_count": config["moe_layer_start_index"], "interleave_moe_layer_step": 1}
        told |= {"expert_shared_count": config["moe_num_shared_experts"]}
    if "shared_expert_intermediate_size" in config:
        told["expert_shared_feed_forward_length"] = config["shared_expert_intermediate_size"]
    if "num_experts_per_tok" in config or "moe_k" in config:
        counts = ("num_experts", "n_routed_experts", "num_local_experts", "moe_num_experts")
        told["expert_count"] = next(config[key] for key in counts if key in config)
        told["expert_used_count"] = config.get("num_experts_per_tok") or config["moe_k"]
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


def _told_of_glm(config: Config) -> dict[str, Any]:
    """The file counts the layers that predict further tokens, too."""
    more = config["num_nextn_predict_layers"]
    return {
        "block_count": config["num_hidden_layers"] + more,
        "nextn_predict_layers": more,
        "rope.dimension_count": int(config["head_dim"] * config["partial_rotary_factor"]),
        "leading_dense_block_count": config["first_k_dense_replace"],
        "expert_shared_count": config["n_shared_experts"],
        "expert_weights_scale": config["routed_scaling_factor"],
        "expert_weights_norm": config["norm_topk_prob"],
        "expert_gating_func": 2,
    }


def _told_of_deepseek(config: Config) -> dict[str, Any]:
    query, sigmoid = config["qk_nope_head_dim"] + config["qk_rope_head_dim"], config["model_type"] == "deepseek_v3"
    told: dict[str, Any] = {
        "attention.kv_lora_rank": config["kv_lora_rank"],
        "rope.dimension_count": config["qk_rope_head_dim"],
        "leading_dense_block_count": config["first_k_dense_replace"],
        "expert_shared_count": config["n_shared_experts"],
        "expert_weights_scale": config["routed_scaling_factor"],
        "expert_weights_norm": config["norm_topk_prob"],
        "expert_gating_func": 2 if sigmoid else 1,
        "rope.scaling.yarn_log_multiplier": 0.1 * config["rope_scaling"]["mscale_all_dim"],
    }
    if config["q_lora_rank"]:
        told["attention.q_lora_rank"] = config["q_lora_rank"]
    if sigmoid:
        told |= {"expert_group_count": config["n_group"], "expert_group_used_count": config["topk_group"]}
    if not config.get("split"):
        return told | {"attention.key_length": query, "attention.value_length": config["v_head_dim"]}
    wide = config["kv_lora_rank"] + config["qk_rope_head_dim"]
    told |= {"attention.key_length": wide, "attention.value_length": config["kv_lora_rank"]}
    told |= {"attention.head_count_kv": 1}
    return told | {"attention.key_length_mla": query, "attention.value_length_mla": config["v_head_dim"]}


def _add(writer: GGUFWriter, name: str, value: Any) -> None:
    kinds = {int: writer.add_uint32, float: writer.add_float32, str: writer.add_string, bool: writer.add_bool}
    add = kinds[type(value)]
    add(name, value)
