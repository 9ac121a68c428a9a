"""The small models as GGUF files, written with the gguf package in llama.cpp's conventions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGMLQuantizationType, GGUFWriter, TokenType, quants

from hipport.llm.sources.gguf.names import gguf_name
from tests.llm.models import Config, Weights, make_weights
from tests.llm.native_blocks import decoded, random_blocks

F16, F32, Q4_0, Q5_1, Q8_0 = (GGMLQuantizationType[name] for name in ("F16", "F32", "Q4_0", "Q5_1", "Q8_0"))
Kinds = Callable[[str], GGMLQuantizationType]


def matrices(kind: GGMLQuantizationType, **others: GGMLQuantizationType) -> Kinds:
    """Return a choice of types: float for vectors, `others` for names that contain a word, `kind` for the rest."""

    def of(name: str) -> GGMLQuantizationType:
        other = next((other for word, other in others.items() if word in name), kind)
        return F32 if "norm" in name or "rope" in name or name.endswith("bias") else other

    return of


def write_gguf(path: Path, config: Config, weights: Weights, kinds: Kinds, **metadata: Any) -> Path:
    """Write a model's file. `metadata` overrides keys; None removes one."""
    architecture = "llama" if config["model_type"] == "mistral" else config["model_type"]
    told = _told(architecture, config) | {name.replace("__", "."): value for name, value in metadata.items()}
    tensors = {
        name: (quants.quantize(np.ascontiguousarray(values, np.float32), kinds(name)), kinds(name))
        for name, values in _tensors(architecture, config, weights).items()
    }
    _write(path, architecture, told, tensors)
    return path


def write_native(path: Path, config: Config, kinds: Mapping[str, str], seed: int) -> tuple[Path, Weights]:
    """Write a model with random blocks of quantized types; return the file and the weights that the package decodes.

    `kinds` has types by words in GGUF's names, "" for all others. Vectors are floats.
    """
    random, exact = np.random.default_rng(seed), make_weights(config, seed)
    architecture = "llama" if config["model_type"] == "mistral" else config["model_type"]
    tensors: dict[str, tuple[np.ndarray, GGMLQuantizationType]] = {}
    for name, values in _tensors(architecture, config, exact).items():
        kind = next(kind for word, kind in kinds.items() if word in name)
        if values.ndim == 1:
            tensors[name] = values.astype(np.float32), F32
        elif kind in ("F16", "F32"):
            tensors[name] = values.astype(kind.replace("F", "float")), GGMLQuantizationType[kind]
        else:
            blocks = random_blocks(kind, *values.shape, random, float(values.std()))
            tensors[name] = blocks, GGMLQuantizationType[kind]
    _write(path, architecture, _told(architecture, config), tensors)
    return path, {name: _read_back(config, architecture, name, *tensors[gguf_name(name)]) for name in exact}


def _read_back(
    config: Config, architecture: str, name: str, data: np.ndarray, kind: GGMLQuantizationType
) -> np.ndarray:
    values = data if kind in (F16, F32) else decoded(data, kind.name)
    if architecture == "llama" and ("q_proj" in name or "k_proj" in name):
        pairs = values.reshape(-1, config["head_dim"] // 2, 2, values.shape[1])
        values = pairs.swapaxes(1, 2).reshape(values.shape)
    return values


def _write(
    path: Path, architecture: str, told: Mapping[str, Any], tensors: Mapping[str, tuple[np.ndarray, Any]]
) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = GGUFWriter(path, architecture)
    for name, value in told.items():
        if value is not None and name != "general.architecture":
            _add(writer, name, value)
    for name, (data, kind) in tensors.items():
        writer.add_tensor(name, data, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def stored(weights: Weights, kinds: Kinds) -> Weights:
    """Return the weights with the precision that writing them to a GGUF file leaves."""
    return {name: _stored(values, kinds(gguf_name(name))) for name, values in weights.items()}


def vocabulary(words: Sequence[str], types: Mapping[str, TokenType]) -> dict[str, Any]:
    """Return the metadata of a vocabulary."""
    return {
        "tokenizer__ggml__tokens": list(words),
        "tokenizer__ggml__token_type": [int(types.get(word, TokenType.NORMAL)) for word in words],
    }


def _stored(values: np.ndarray, kind: GGMLQuantizationType) -> np.ndarray:
    if kind in (F16, F32):
        return values.astype(np.float16 if kind == F16 else np.float32)
    return quants.dequantize(quants.quantize(values.astype(np.float32), kind), kind)


def _told(architecture: str, config: Config) -> dict[str, Any]:
    head_width = config["head_dim"]
    told = {
        "block_count": config["num_hidden_layers"],
        "embedding_length": config["hidden_size"],
        "feed_forward_length": config["intermediate_size"],
        "attention.head_count": config["num_attention_heads"],
        "attention.head_count_kv": config["num_key_value_heads"],
        "attention.key_length": head_width,
        "attention.value_length": head_width,
        "attention.layer_norm_rms_epsilon": config["rms_norm_eps"],
        "context_length": config["max_position_embeddings"],
        "rope.freq_base": config["rope_theta"],
        "rope.dimension_count": head_width,
    }
    scaling = config.get("rope_scaling", {})
    if scaling.get("rope_type") == "yarn":
        told |= {
            "rope.scaling.type": "yarn",
            "rope.scaling.factor": scaling["factor"],
            "rope.scaling.original_context_length": scaling["original_max_position_embeddings"],
        }
    return {f"{architecture}.{name}": value for name, value in told.items()} | {"tokenizer.ggml.eos_token_id": 2}


def _add(writer: GGUFWriter, name: str, value: Any) -> None:
    if isinstance(value, bool):
        writer.add_bool(name, value)
    elif isinstance(value, int):
        writer.add_uint32(name, value)
    elif isinstance(value, float):
        writer.add_float32(name, value)
    elif isinstance(value, str):
        writer.add_string(name, value)
    else:
        writer.add_array(name, value)


def _tensors(architecture: str, config: Config, weights: Weights) -> Weights:
    """Return the tensors with GGUF's names. In llama's queries and keys the dimensions that RoPE pairs are adjacent."""
    found = {}
    for name, values in weights.items():
        if architecture == "llama" and ("q_proj" in name or "k_proj" in name):
            halves = values.reshape(-1, 2, config["head_dim"] // 2, values.shape[1])
            values = halves.swapaxes(1, 2).reshape(values.shape)
        found[gguf_name(name)] = values
    if "low_freq_factor" in config.get("rope_scaling", {}):
        found["rope_freqs.weight"] = np.array(_divisors(config), np.float32)
    return found


def _divisors(config: Config) -> list[float]:
    """Return the divisor that Llama 3's RoPE scaling applies to each frequency."""
    scaling, found = config["rope_scaling"], []
    for i in range(config["head_dim"] // 2):
        length = 2 * np.pi * config["rope_theta"] ** (2 * i / config["head_dim"])
        turns = scaling["original_max_position_embeddings"] / length
        part = (turns - scaling["low_freq_factor"]) / (scaling["high_freq_factor"] - scaling["low_freq_factor"])
        kept = min(max(part, 0.0), 1.0)
        found.append(1 / (kept + (1 - kept) / scaling["factor"]))
    return found
