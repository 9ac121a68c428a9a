"""Model configuration from the metadata of a GGUF file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from hipport.errors import HipportError
from hipport.llm.model.architectures import ARCHITECTURES, Architecture
from hipport.llm.model.config import HEAD_WIDTHS, ModelConfig, checked
from hipport.llm.model.experts import Experts
from hipport.llm.model.latent import Latent
from hipport.llm.model.layers import slides_except
from hipport.llm.model.rope_scaling import (
    LOCAL_THETA,
    Rope,
    Yarn,
    checked_rotation,
    divisors,
    long_attention,
    rope_theta,
)
from hipport.llm.model.values import count, finite, positive
from hipport.llm.sources.gguf.deepseek import deepseek_latent, deepseek_scale
from hipport.llm.sources.gguf.experts import chooses_by_scores, gguf_experts
from hipport.llm.sources.gguf.reader import Gguf, tensor_shape

_ARCHITECTURES: Mapping[str, Architecture] = {
    "llama": ARCHITECTURES["LlamaForCausalLM"],
    "phi3": ARCHITECTURES["Phi3ForCausalLM"],
    "qwen2": ARCHITECTURES["Qwen2ForCausalLM"],
    "qwen3": ARCHITECTURES["Qwen3ForCausalLM"],
    "qwen3moe": ARCHITECTURES["Qwen3MoeForCausalLM"],
    "gemma3": ARCHITECTURES["Gemma3ForCausalLM"],
    "gpt-oss": ARCHITECTURES["GptOssForCausalLM"],
    "qwen2moe": ARCHITECTURES["Qwen2MoeForCausalLM"],
    "deepseek2": ARCHITECTURES["DeepseekV2ForCausalLM"],
    "glm4moe": ARCHITECTURES["Glm4MoeForCausalLM"],
    "ernie4_5-moe": ARCHITECTURES["Ernie4_5_MoeForCausalLM"],
}
"""The supported architectures. A llama with experts is Mixtral, a deepseek2 with sigmoids DeepSeek-V3."""
_DEEPSEEK_V3 = ARCHITECTURES["DeepseekV3ForCausalLM"]
_MIXTRAL = ARCHITECTURES["MixtralForCausalLM"]
_GEMMA_27B_LAYERS = 62
"""The only Gemma 3 with so many layers divides queries by another number than the root of the width of heads."""

ROPE_DIVISORS = "rope_freqs.weight"
LONG_DIVISORS, SHORT_DIVISORS = "rope_factors_long.weight", "rope_factors_short.weight"
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
    unused = count(data, f"{name}.nextn_predict_layers") if data.get(f"{name}.nextn_predict_layers") else 0
    layers = count(data, f"{name}.block_count") - unused
    experts = gguf_experts(name, file, layers)
    architecture = _told(name, file, experts)
    heads, width = count(data, f"{name}.attention.head_count"), count(data, f"{name}.embedding_length")
    latent = deepseek_latent(data, heads) if name == "deepseek2" else None
    head_width = (
        latent.head_width(HEAD_WIDTHS) if latent else count(data, f"{name}.attention.key_length", width // heads)
    )
    if not latent and data.get(f"{name}.attention.value_length", head_width) != head_width:
        raise ValueError(f"queries and values are not both {head_width} wide")
    hidden = f"{name}.expert_feed_forward_length"
    return checked(
        ModelConfig(
            layers=layers,
            width=width,
            hidden=count(data, hidden if experts and hidden in data else f"{name}.feed_forward_length"),
            heads=heads,
            kv_heads=heads if latent else count(data, f"{name}.attention.head_count_kv", heads),
            head_width=head_width,
            vocabulary=_vocabulary(file),
            positions=count(data, f"{name}.context_length"),
            epsilon=positive(data, f"{name}.attention.layer_norm_rms_epsilon"),
            architecture=architecture,
            tied="output.weight" not in file.tensors,
            rope=_latent_rope(file, latent) if latent else _rope(name, file, head_width),
            end_tokens=_end_tokens(data),
            windows=_windows(name, data, architecture, layers),
            local_rope=_local_rope(name, data) if architecture.gemma else None,
            experts=experts,
            query_scale=deepseek_scale(data, latent, head_width)
            if latent
            else _query_scale(layers, width // heads, head_width)
            if architecture.gemma
            else 1.0,
            latent=latent,
            unused_layers=unused,
        )
    )


def _told(name: str, file: Gguf, experts: Experts | None) -> Architecture:
    """Return the architecture, with what the file's tensors say about it."""
    own = _MIXTRAL if name == "llama" and experts else _ARCHITECTURES[name]
    if name == "deepseek2" and experts and experts.routing and experts.routing.scores == "sigmoid":
        own = _DEEPSEEK_V3
    if (own.experts is None) != (experts is None):
        raise ValueError("a mixture of experts is not told from a dense model")
    if not own.told:
        return own
    norms, bias = (f"blk.0.{tensor}" in file.tensors for tensor in ("attn_q_norm.weight", "attn_q.bias"))
    return replace(own, head_norms=norms, qkv_bias=bias)


def _architecture(path: Path, data: Mapping[str, Any]) -> str:
    name = data["general.architecture"]
    if name not in _ARCHITECTURES:
        raise HipportError(f"{path}: {name} is not supported", hint=f"Supported: {', '.join(_ARCHITECTURES)}.")
    for key in ("expert_shared_count", "expert_group_count", "attn_logit_softcapping", "final_logit_softcapping"):
        if data.get(f"{name}.{key}") and not (chooses_by_scores(name) and key.startswith("expert")):
            raise HipportError(f"{path}: {key} is not supported")
    return str(name)


def _windows(name: str, data: Mapping[str, Any], architecture: Architecture, layers: int) -> tuple[int, ...]:
    """Return how many positions a token of each layer sees, as llama.cpp decides it: it has no windows for Qwen."""
    if architecture.windows == "later" or not data.get(f"{name}.attention.sliding_window"):
        return ()
    window, pattern = count(data, f"{name}.attention.sliding_window"), {"most": 6, "alternate": 2}
    told = data.get(f"{name}.attention.sliding_window_pattern")
    if isinstance(told, (list, tuple)):
        if len(told) != layers:
            raise ValueError(f"sliding_window_pattern is not a list of {layers} layers")
        return tuple(window if slides else 0 for slides in told)
    if architecture.windows == "all":
        return (window,) * layers
    every = count(data, f"{name}.attention.sliding_window_pattern", pattern[architecture.windows])
    return tuple(window if slides else 0 for slides in slides_except(every, layers))


def _local_rope(name: str, data: Mapping[str, Any]) -> Rope:
    return Rope(rope_theta(data.get(f"{name}.rope.freq_base_swa", LOCAL_THETA)))


def _query_scale(layers: int, scalar: int, head_width: int) -> float:
    return math.sqrt(head_width / scalar) if layers == _GEMMA_27B_LAYERS else 1.0


def _vocabulary(file: Gguf) -> int:
    """Return the number of rows of the embedding."""
    embedding = file.tensors.get("token_embd.weight")
    if embedding is None:
        raise KeyError("the tensor token_embd.weight")
    return tensor_shape(embedding)[0]


def _rope(name: str, file: Gguf, head_width: int) -> Rope:
    width = checked_rotation(count(file.metadata, f"{name}.rope.dimension_count", head_width), head_width)
    if name == "llama" and width != head_width:
        raise ValueError(f"{width} of {head_width} dimensions of a head are rotated, which llama does not have")
    return replace(_scaled_rope(name, file, width), rotated=width if width != head_width else 0)


def _latent_rope(file: Gguf, latent: Latent) -> Rope:
    """Return the rotation of a part of heads. llama.cpp's YaRN leaves cosines and sines as they are here."""
    return replace(_scaled_rope("deepseek2", file, latent.rope), rotated=latent.rope, attention=1.0)


def _scaled_rope(name: str, file: Gguf, width: int) -> Rope:
    data = file.metadata
    theta = rope_theta(data.get(f"{name}.rope.freq_base", _ARCHITECTURES[name].theta))
    kind = data.get(f"{name}.rope.scaling.type", "none")
    if LONG_DIVISORS in file.tensors:
        return _longrope(name, file, theta, width)
    if kind == "yarn":
        return _yarn(f"{name}.rope.scaling", data, theta, width, truncate=name != "gpt-oss")
    if kind not in ("none", "linear"):
        raise ValueError(f"rope scaling {kind!r} is not supported; linear and yarn are, and {ROPE_DIVISORS}")
    factor = positive(data, f"{name}.rope.scaling.factor", 1.0) if kind == "linear" else 1.0
    if ROPE_DIVISORS not in file.tensors:
        return Rope(theta, factor)
    return Rope(theta, divisors=_divisors(file, ROPE_DIVISORS, width))


def _divisors(file: Gguf, name: str, width: int) -> tuple[float, ...]:
    return divisors(np.asarray(file.tensors[name].data, np.float32).reshape(-1).tolist(), name, width)


def _longrope(name: str, file: Gguf, theta: float, width: int) -> Rope:
    data = file.metadata
    original = count(data, f"{name}.rope.scaling.original_context_length")
    factor = count(data, f"{name}.context_length") / original
    attention = finite(data, f"{name}.rope.scaling.attn_factor", long_attention(factor, original))
    short, long = (_divisors(file, tensor, width) for tensor in (SHORT_DIVISORS, LONG_DIVISORS))
    return Rope(theta, divisors=short, attention=attention, short=original, long_divisors=long)


def _yarn(prefix: str, data: Mapping[str, Any], theta: float, head_width: int, truncate: bool) -> Rope:
    factor, original = finite(data, f"{prefix}.factor"), count(data, f"{prefix}.original_context_length")
    fast, slow = finite(data, f"{prefix}.yarn_beta_fast", 32.0), finite(data, f"{prefix}.yarn_beta_slow", 1.0)
    rope = Yarn(factor, original, fast, slow, truncate).rope(theta, head_width)
    return replace(rope, attention=rope.attention * finite(data, f"{prefix}.attn_factor", 1.0))


def _end_tokens(data: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the tokens that end a text or an answer."""
    named = [data.get(f"tokenizer.ggml.{name}_token_id") for name in _END_IDS]
    known = [i for i, token in enumerate(data.get("tokenizer.ggml.tokens", ())) if token in _END_NAMES]
    return tuple(dict.fromkeys(int(token) for token in (*named, *known) if token is not None))
