"""The parts of DeepSeek's models in the metadata of a GGUF file: latent attention, and mixtures of experts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from hipport.llm.model.experts import Experts, Routing, Scores, shared_width
from hipport.llm.model.latent import Latent, checked_latent
from hipport.llm.model.layers import MOST_LAYERS
from hipport.llm.model.values import count, finite, shown
from hipport.llm.sources.gguf.reader import Gguf

_NAME = "deepseek2"
_SCORES: Mapping[int, Scores] = {0: "softmax", 1: "softmax", 2: "sigmoid"}
"""By `expert_gating_func`."""


def deepseek_latent(data: Mapping[str, Any], heads: int) -> Latent:
    """Return the widths of latent attention. Raises `KeyError` and `ValueError`.

    Files made for attention over latent vectors have the widths of heads under other names.
    """
    stem = f"{_NAME}.attention"
    query, value = (
        count(data, f"{stem}.{name}_mla" if f"{stem}.{name}_mla" in data else f"{stem}.{name}")
        for name in ("key_length", "value_length")
    )
    rope = count(data, f"{_NAME}.rope.dimension_count")
    if rope >= query:
        raise ValueError(f"{rope} of {query} dimensions of a head are rotated")
    rank = f"{stem}.q_lora_rank"
    queries = count(data, rank) if data.get(rank) else 0
    return checked_latent(Latent(queries, count(data, f"{stem}.kv_lora_rank"), query - rope, rope, value), heads)


def deepseek_scale(data: Mapping[str, Any], latent: Latent, head_width: int) -> float:
    """Return the factor of queries besides that for the engine's width of heads."""
    factor = finite(data, f"{_NAME}.rope.scaling.factor", 1.0)
    yarn = data.get(f"{_NAME}.rope.scaling.type") == "yarn" and factor > 1.0
    multiplier = finite(data, f"{_NAME}.rope.scaling.yarn_log_multiplier", 0.0) if yarn else 0.0
    return math.sqrt(head_width / latent.query) * (1.0 + multiplier * math.log(factor)) ** 2


def deepseek_experts(file: Gguf) -> Experts | None:
    """Return the mixture of experts, or None. Raises `KeyError` and `ValueError`."""
    data = file.metadata
    if not data.get(f"{_NAME}.expert_count"):
        return None
    leading = f"{_NAME}.leading_dense_block_count"
    dense = count(data, leading) if data.get(leading) else 0
    if dense > min(count(data, f"{_NAME}.block_count"), MOST_LAYERS):
        raise ValueError(f"leading_dense_block_count is {dense}")
    return Experts(
        count(data, f"{_NAME}.expert_count"),
        count(data, f"{_NAME}.expert_used_count"),
        routing=_routing(file),
        dense=tuple(range(dense)),
        dense_hidden=count(data, f"{_NAME}.feed_forward_length") if dense else 0,
        shared=_shared(data),
    )


def _shared(data: Mapping[str, Any]) -> int:
    if not data.get(f"{_NAME}.expert_shared_count"):
        return 0
    return shared_width(count(data, f"{_NAME}.expert_shared_count"), count(data, f"{_NAME}.expert_feed_forward_length"))


def _routing(file: Gguf) -> Routing:
    data = file.metadata
    told = data.get(f"{_NAME}.expert_gating_func", 0)
    if not isinstance(told, int) or told not in _SCORES:
        raise ValueError(f"expert_gating_func is {shown(told)}")
    scores = _SCORES[told]
    return Routing(
        scores,
        count(data, f"{_NAME}.expert_group_count", 1),
        count(data, f"{_NAME}.expert_group_used_count", 1),
        2 if scores == "sigmoid" else 1,
        any(name.endswith(".exp_probs_b.bias") for name in file.tensors),
        bool(data.get(f"{_NAME}.expert_weights_norm", False)),
        finite(data, f"{_NAME}.expert_weights_scale", 1.0),
    )
