"""Model configuration from the metadata of a GGUF file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from hipport.errors import HipportError
from hipport.llm.model.config import ARCHITECTURES, Architecture, ModelConfig, checked
from hipport.llm.model.rope_scaling import Rope, Yarn, rope_theta
from hipport.llm.model.values import count, finite
from hipport.llm.sources.gguf.reader import Gguf, tensor_shape

_ARCHITECTURES: Mapping[str, Architecture] = {
    "llama": ARCHITECTURES["LlamaForCausalLM"],
    "phi3": ARCHITECTURES["Phi3ForCausalLM"],
    "qwen2": ARCHITECTURES["Qwen2ForCausalLM"],
    "qwen3": ARCHITECTURES["Qwen3ForCausalLM"],
}
"""The supported architectures."""

ROPE_DIVISORS = "rope_freqs.weight"
_END_IDS = ("eos", "eot", "eom")
_END_NAMES = frozenset({"<|eot_id|>", "<|im_end|>", "<|eom_id|>"})
"""Tokens that end an answer even if the file does not declare them as end tokens."""


def gguf_config(file: Gguf) -> ModelConfig:
    """Return the configuration of the model in a file. Raises `HipportError` if it is incomplete or unsupported."""
    try:
        return _config(file)
    except KeyError as error:
        raise HipportError(f"{file.path} lacks {error}") from None
    except (TypeError, ValueError, IndexError, OverflowError) as error:
        raise HipportError(f"{file.path} is not a valid model: {error}") from None


def _config(file: Gguf) -> ModelConfig:
    data = file.metadata
    name = _architecture(file.path, data)
    heads, width = count(data, f"{name}.attention.head_count"), count(data, f"{name}.embedding_length")
    head_width = count(data, f"{name}.attention.key_length", width // heads)
    if any(data.get(f"{name}.{key}", head_width) != head_width for key in _HEAD_WIDTHS):
        raise ValueError(f"queries, values and rotation are not all {head_width} wide")
    return checked(
        ModelConfig(
            layers=count(data, f"{name}.block_count"),
            width=width,
            hidden=count(data, f"{name}.feed_forward_length"),
            heads=heads,
            kv_heads=count(data, f"{name}.attention.head_count_kv", heads),
            head_width=head_width,
            vocabulary=_vocabulary(file),
            positions=_positions(name, data),
            epsilon=float(data[f"{name}.attention.layer_norm_rms_epsilon"]),
            architecture=_ARCHITECTURES[name],
            tied="output.weight" not in file.tensors,
            rope=_rope(name, file, head_width),
            end_tokens=_end_tokens(data),
        )
    )


_HEAD_WIDTHS = ("attention.value_length", "rope.dimension_count")


def _architecture(path: Path, data: Mapping[str, Any]) -> str:
    name = data["general.architecture"]
    if name not in _ARCHITECTURES:
        raise HipportError(f"{path}: {name} is not supported", hint=f"Supported: {', '.join(_ARCHITECTURES)}.")
    if data.get(f"{name}.expert_count"):
        raise HipportError(f"{path}: mixtures of experts are not supported")
    return str(name)


def _vocabulary(file: Gguf) -> int:
    """Return the number of rows of the embedding."""
    embedding = file.tensors.get("token_embd.weight")
    if embedding is None:
        raise KeyError("the tensor token_embd.weight")
    return tensor_shape(embedding)[0]


def _positions(name: str, data: Mapping[str, Any]) -> int:
    """Return the longest sequence, limited to the sliding window, within which all positions see each other."""
    positions = count(data, f"{name}.context_length")
    return min(positions, count(data, f"{name}.attention.sliding_window", positions))


def _rope(name: str, file: Gguf, head_width: int) -> Rope:
    data, divisors = file.metadata, file.tensors.get(ROPE_DIVISORS)
    theta = rope_theta(data.get(f"{name}.rope.freq_base", 10000.0))
    kind = data.get(f"{name}.rope.scaling.type", "none")
    if kind == "yarn":
        return _yarn(f"{name}.rope.scaling", data, theta, head_width)
    if kind not in ("none", "linear"):
        raise ValueError(f"rope scaling {kind!r} is not supported; linear and yarn are, and {ROPE_DIVISORS}")
    factor = float(data.get(f"{name}.rope.scaling.factor", 1.0)) if kind == "linear" else 1.0
    if divisors is None:
        return Rope(theta, factor)
    values = np.asarray(divisors.data, np.float32).reshape(-1)
    if tensor_shape(divisors) != (head_width // 2,) or not (np.isfinite(values) & (values > 0)).all():
        raise ValueError(f"{ROPE_DIVISORS} are not {head_width // 2} numbers above 0")
    return Rope(theta, divisors=tuple(float(value) for value in values))


def _yarn(prefix: str, data: Mapping[str, Any], theta: float, head_width: int) -> Rope:
    factor, original = finite(data, f"{prefix}.factor"), count(data, f"{prefix}.original_context_length")
    fast, slow = finite(data, f"{prefix}.yarn_beta_fast", 32.0), finite(data, f"{prefix}.yarn_beta_slow", 1.0)
    rope = Yarn(factor, original, fast, slow).rope(theta, head_width)
    return replace(rope, attention=rope.attention * finite(data, f"{prefix}.attn_factor", 1.0))


def _end_tokens(data: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the tokens that end a text or an answer."""
    named = [data.get(f"tokenizer.ggml.{name}_token_id") for name in _END_IDS]
    known = [i for i, token in enumerate(data.get("tokenizer.ggml.tokens", ())) if token in _END_NAMES]
    return tuple(dict.fromkeys(int(token) for token in (*named, *known) if token is not None))
