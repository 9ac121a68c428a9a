"""BERT and ViT in numpy, in double precision: the reference for the models built from tile operators.

`test_against_transformers.py` compares these, too, with transformers' own models.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
SMALL = {"num_hidden_layers": 2, "hidden_size": 128, "intermediate_size": 256, "num_attention_heads": 4}
"""A configuration with which tests are quick."""

_ERF = np.vectorize(math.erf)


def bert(config: Mapping[str, Any], weights: Mapping[str, Array], tokens: Array, types: Array, lengths: Array) -> Array:
    """Return BERT's last hidden states, [sequence][position][width]."""
    w = {name: values.astype(np.float64) for name, values in weights.items()}
    tables = [w[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")]
    x = tables[0][tokens] + tables[1][: tokens.shape[1]] + tables[2][types]
    x = _norm(config, w, "embeddings.LayerNorm", x)
    for layer in range(config["num_hidden_layers"]):
        name = f"encoder.layer.{layer}."
        mixed = _attention(config, w, name + "attention.self.", x, lengths)
        x = _norm(
            config, w, name + "attention.output.LayerNorm", x + _linear(w, name + "attention.output.dense", mixed)
        )
        fed = _linear(w, name + "output.dense", _gelu(_linear(w, name + "intermediate.dense", x)))
        x = _norm(config, w, name + "output.LayerNorm", x + fed)
    return x


def vit(config: Mapping[str, Any], weights: Mapping[str, Array], images: Array) -> Array:
    """Return ViT's last hidden states, [image][1 + patch][width]."""
    w = {name: values.astype(np.float64) for name, values in weights.items()}
    size, batch = config["patch_size"], len(images)
    across = config["image_size"] // size
    cut = images.astype(np.float64).reshape(batch, config["num_channels"], across, size, across, size)
    cut = cut.transpose(0, 2, 4, 1, 3, 5).reshape(batch, across * across, -1)
    name = "embeddings.patch_embeddings.projection"
    patches = cut @ w[f"{name}.weight"].reshape(config["hidden_size"], -1).T + w[f"{name}.bias"]
    first = np.broadcast_to(w["embeddings.cls_token"], (batch, 1, config["hidden_size"]))
    x = np.concatenate((first, patches), 1) + w["embeddings.position_embeddings"]
    everything = np.full(batch, x.shape[1])
    for layer in range(config["num_hidden_layers"]):
        name = f"encoder.layer.{layer}."
        normal = _norm(config, w, name + "layernorm_before", x)
        mixed = _attention(config, w, name + "attention.attention.", normal, everything)
        x = x + _linear(w, name + "attention.output.dense", mixed)
        normal = _norm(config, w, name + "layernorm_after", x)
        x = x + _linear(w, name + "output.dense", _gelu(_linear(w, name + "intermediate.dense", normal)))
    return _norm(config, w, "layernorm", x)


def _linear(w: Mapping[str, Array], name: str, x: Array) -> Array:
    return np.asarray(x @ w[f"{name}.weight"].T + w[f"{name}.bias"])


def _norm(config: Mapping[str, Any], w: Mapping[str, Array], name: str, x: Array) -> Array:
    centred = x - x.mean(-1, keepdims=True)
    normal = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + config["layer_norm_eps"])
    return np.asarray(normal * w[f"{name}.weight"] + w[f"{name}.bias"])


def _gelu(x: Array) -> Array:
    return np.asarray(0.5 * x * (1 + _ERF(x / math.sqrt(2))))


def _attention(config: Mapping[str, Any], w: Mapping[str, Array], name: str, x: Array, lengths: Array) -> Array:
    batch, positions, width = x.shape
    heads = config["num_attention_heads"]
    query, key, value = (
        _linear(w, name + part, x).reshape(batch, positions, heads, -1).transpose(0, 2, 1, 3)
        for part in ("query", "key", "value")
    )
    scores = query @ key.transpose(0, 1, 3, 2) / math.sqrt(width // heads)
    scores = np.where(np.arange(positions) < lengths[:, None, None, None], scores, -np.inf)
    likely = np.exp(scores - scores.max(-1, keepdims=True))
    mixed = likely / likely.sum(-1, keepdims=True) @ value
    return np.asarray(mixed.transpose(0, 2, 1, 3).reshape(batch, positions, width))
