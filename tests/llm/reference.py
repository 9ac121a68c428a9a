"""The Llama family in numpy, in double precision: the reference for the engine.

`test_against_transformers.py` compares it with transformers' own models.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Doubles = npt.NDArray[np.float64]
Weights = Mapping[str, npt.NDArray[Any]]
Rounding = Callable[[Doubles], Doubles]


def logits(
    config: Mapping[str, Any], weights: Weights, tokens: Sequence[int], cached: Rounding | None = None
) -> Doubles:
    """Return the logits after each token of a sequence, [tokens][vocabulary]; `config` is Hugging Face's.

    `cached` is what happens to keys and values [heads][tokens][dimensions] when they are kept.
    """
    cached = cached or (lambda vectors: vectors)
    weights = {name: values.astype(np.float64) for name, values in weights.items()}
    x = weights["model.embed_tokens.weight"][list(tokens)]
    for layer in range(config["num_hidden_layers"]):
        own = {
            name.split(".", 3)[3]: values
            for name, values in weights.items()
            if name.startswith(f"model.layers.{layer}.")
        }
        own = _divided(config, own)
        x = x + _attention(config, own, _norm(config, x, own["input_layernorm.weight"]), cached)
        x = x + _feed_forward(own, _norm(config, x, own["post_attention_layernorm.weight"]))
    head = "model.embed_tokens.weight" if config.get("tie_word_embeddings") else "lm_head.weight"
    return _norm(config, x, weights["model.norm.weight"]) @ weights[head].T


def _divided(config: Mapping[str, Any], own: Weights) -> Weights:
    """Return a layer's weights with Phi-3's large matrices divided into those of Llama."""
    if "self_attn.qkv_proj.weight" not in own:
        return own
    queries = config["num_attention_heads"] * config["head_dim"]
    keys = queries + config["num_key_value_heads"] * config["head_dim"]
    heads = np.split(own["self_attn.qkv_proj.weight"], [queries, keys])
    gates = np.split(own["mlp.gate_up_proj.weight"], 2)
    names = (*(f"self_attn.{name}_proj" for name in "qkv"), "mlp.gate_proj", "mlp.up_proj")
    return {**own, **{f"{name}.weight": part for name, part in zip(names, (*heads, *gates), strict=True)}}


def _norm(config: Mapping[str, Any], x: Doubles, weight: Doubles) -> Doubles:
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + config["rms_norm_eps"]) * weight


def _feed_forward(own: Weights, x: Doubles) -> Doubles:
    gate = x @ own["mlp.gate_proj.weight"].T
    return (gate / (1 + np.exp(-gate)) * (x @ own["mlp.up_proj.weight"].T)) @ own["mlp.down_proj.weight"].T


def _attention(config: Mapping[str, Any], own: Weights, x: Doubles, cached: Rounding) -> Doubles:
    count, heads, kv_heads = len(x), config["num_attention_heads"], config["num_key_value_heads"]

    def project(name: str, groups: int) -> Doubles:
        made = x @ own[f"self_attn.{name}_proj.weight"].T + own.get(f"self_attn.{name}_proj.bias", 0.0)
        made = made.reshape(count, groups, -1).transpose(1, 0, 2)
        weight = own.get(f"self_attn.{name}_norm.weight")
        return made if weight is None else _norm(config, made, weight)

    queries, keys = (_rotate(config, project(*which)) for which in (("q", heads), ("k", kv_heads)))
    values = np.repeat(cached(project("v", kv_heads)), heads // kv_heads, axis=0)
    scores = queries @ np.repeat(cached(keys), heads // kv_heads, axis=0).transpose(0, 2, 1) / np.sqrt(queries.shape[2])
    scores = np.where(np.tril(np.ones((count, count), bool)), scores, -np.inf)
    likely = np.exp(scores - scores.max(axis=2, keepdims=True))
    mixed = (likely / likely.sum(axis=2, keepdims=True)) @ values
    return mixed.transpose(1, 0, 2).reshape(count, -1) @ own["self_attn.o_proj.weight"].T


def _rotate(config: Mapping[str, Any], x: Doubles) -> Doubles:
    half = x.shape[2] // 2
    angles = np.arange(x.shape[1])[:, None] * _frequencies(config, half)
    rope = config.get("rope_scaling") or {}
    if rope.get("rope_type") == "yarn":
        x = x * (0.1 * np.log(rope["factor"]) + 1)
    low, high = x[..., :half], x[..., half:]
    return np.concatenate(
        (low * np.cos(angles) - high * np.sin(angles), high * np.cos(angles) + low * np.sin(angles)), 2
    )


def _frequencies(config: Mapping[str, Any], half: int) -> Doubles:
    """Compute RoPE's frequencies one by one, as in Llama 3's paper and configuration, or by YaRN's paper."""
    rope = config.get("rope_scaling") or {}
    if rope.get("rope_type") == "yarn":
        return _yarn_frequencies(config["rope_theta"], rope, half)
    found = []
    for i in range(half):
        plain = config["rope_theta"] ** (-i / half)
        if rope:
            length, original = 2 * np.pi / plain, rope["original_max_position_embeddings"]
            if length > original / rope["low_freq_factor"]:
                plain /= rope["factor"]
            elif length > original / rope["high_freq_factor"]:
                part = (original / length - rope["low_freq_factor"]) / (
                    rope["high_freq_factor"] - rope["low_freq_factor"]
                )
                plain = (1 - part) * plain / rope["factor"] + part * plain
        found.append(plain)
    return np.array(found)


def _yarn_frequencies(theta: float, rope: Mapping[str, Any], half: int) -> Doubles:
    """Blend by the turns within the original positions, between 32 (kept) and 1; bounds are whole numbers of pairs."""

    def pair(turns: float) -> float:
        return float(half * np.log(rope["original_max_position_embeddings"] / (2 * np.pi * turns)) / np.log(theta))

    first, last = max(np.floor(pair(32)), 0), min(np.ceil(pair(1)), 2 * half - 1)
    found = []
    for i in range(half):
        plain = theta ** (-i / half)
        divided = 0.0 if i <= first else 1.0 if i >= last else (i - first) / (last - first)
        found.append(plain * (1 - divided) + plain / rope["factor"] * divided)
    return np.array(found)
