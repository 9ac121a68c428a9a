"""Mixtures of experts in the metadata of a GGUF file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hipport.llm.model.experts import Experts, Routing, Scores, shared_width
from hipport.llm.model.layers import MOST_LAYERS
from hipport.llm.model.values import count, finite, shown
from hipport.llm.sources.gguf.reader import Gguf

_SCORES: Mapping[int, Scores] = {1: "softmax", 2: "sigmoid"}
"""By `expert_gating_func`."""
_USUAL_SCORES: Mapping[str, int] = {"deepseek2": 1, "glm4moe": 2, "ernie4_5-moe": 1}
"""The architectures that choose experts by scores, with the function of files that do not tell it."""


def chooses_by_scores(name: str) -> bool:
    """Return whether an architecture chooses experts by scores, and may have dense layers and shared experts."""
    return name in _USUAL_SCORES


def gguf_experts(name: str, file: Gguf, layers: int) -> Experts | None:
    """Return the mixture of experts, or None. Raises `KeyError` and `ValueError`."""
    data = file.metadata
    if not data.get(f"{name}.expert_count"):
        return None
    own = Experts(count(data, f"{name}.expert_count"), count(data, f"{name}.expert_used_count"))
    if chooses_by_scores(name):
        return _by_scores(name, file, own, layers)
    if name != "qwen2moe":
        return own
    shared = count(data, f"{name}.expert_shared_feed_forward_length")
    return replace(own, of_all=True, shared=shared, shared_gate=True)


def _by_scores(name: str, file: Gguf, own: Experts, layers: int) -> Experts:
    data = file.metadata
    leading, step = f"{name}.leading_dense_block_count", count(data, f"{name}.interleave_moe_layer_step", 1)
    first = count(data, leading) if data.get(leading) else 0
    if first > min(layers, MOST_LAYERS):
        raise ValueError(f"leading_dense_block_count is {first}")
    dense = tuple(layer for layer in range(layers) if layer < first or (layer + 1) % step)
    return replace(
        own,
        routing=_routing(name, file),
        dense=dense,
        dense_hidden=count(data, f"{name}.feed_forward_length") if dense else 0,
        shared=_shared(name, data),
    )


def _shared(name: str, data: Mapping[str, Any]) -> int:
    if not data.get(f"{name}.expert_shared_count"):
        return 0
    return shared_width(count(data, f"{name}.expert_shared_count"), count(data, f"{name}.expert_feed_forward_length"))


def _routing(name: str, file: Gguf) -> Routing:
    data = file.metadata
    told = data.get(f"{name}.expert_gating_func", 0) or _USUAL_SCORES[name]
    if not isinstance(told, int) or told not in _SCORES:
        raise ValueError(f"expert_gating_func is {shown(told)}")
    scores = _SCORES[told]
    biased = any(tensor.endswith(".exp_probs_b.bias") for tensor in file.tensors)
    if name == "ernie4_5-moe":
        return Routing(scores, biased=biased, normalized=True)
    return Routing(
        scores,
        count(data, f"{name}.expert_group_count", 1),
        count(data, f"{name}.expert_group_used_count", 1),
        2 if scores == "sigmoid" else 1,
        biased,
        bool(data.get(f"{name}.expert_weights_norm", False)),
        finite(data, f"{name}.expert_weights_scale", 1.0),
    )
