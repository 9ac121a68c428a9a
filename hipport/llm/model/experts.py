"""Mixtures of experts: which layers have them, which experts a token takes, and those that all tokens take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from hipport.llm.model.architectures import Architecture
from hipport.llm.model.layers import MOST_LAYERS
from hipport.llm.model.values import count, finite, shown

Scores = Literal["softmax", "sigmoid"]
SCORES: tuple[Scores, ...] = ("softmax", "sigmoid")
"""By their numbers in the engine, from 1 on."""
_MOST_GROUPS, _MOST_SHARED = 64, 64


@dataclass(frozen=True, slots=True)
class Routing:
    """The choice of experts by scores.

    Experts are in `groups`; a token takes experts of `chosen_groups`, those whose `best` (1 or 2) scores have the
    largest sum. `biased`: a bias is added to scores for the choice. The weights of experts are their scores,
    `normalized` by their sum, times `scale`.
    """

    scores: Scores
    groups: int = 1
    chosen_groups: int = 1
    best: int = 1
    biased: bool = False
    normalized: bool = False
    scale: float = 1.0


@dataclass(frozen=True, slots=True)
class Experts:
    """A mixture of `count` experts, of which each token takes `chosen`.

    `of_all`: their weights are a softmax over all experts, which is not divided by the sum of the chosen ones.
    `routing`: another choice than by the largest logits. `dense`: the layers without experts, whose networks are
    `dense_hidden` wide. `shared`: the width of the experts that all tokens take; 0: there are none. `shared_gate`:
    these are weighted.
    """

    count: int
    chosen: int
    of_all: bool = False
    routing: Routing | None = None
    dense: tuple[int, ...] = ()
    dense_hidden: int = 0
    shared: int = 0
    shared_gate: bool = False


def read_experts(data: Mapping[str, Any], architecture: Architecture, layers: int) -> Experts | None:
    """Return the mixture of experts in `config.json`, None for dense models. Raises `KeyError` and `ValueError`."""
    names = architecture.experts
    if names is None:
        return None
    if layers > MOST_LAYERS:
        raise ValueError(f"{layers} layers exceed the limit of {MOST_LAYERS}")
    chosen = count(data, _first(data, "num_experts_per_tok", "experts_per_token", "moe_k"))
    dense = _dense(data, layers)
    routing = _routing(data, architecture)
    return Experts(
        count(data, _first(data, "num_experts", "n_routed_experts", "num_local_experts", "moe_num_experts")),
        chosen,
        of_all=routing is None and names.router == "mlp.gate" and not data.get("norm_topk_prob", False),
        routing=routing,
        dense=dense,
        dense_hidden=count(data, "intermediate_size") if dense else 0,
        shared=_shared(data) if names.shared else 0,
        shared_gate=bool(names.shared_gate),
    )


def checked_experts(experts: Experts, most: int, most_chosen: int) -> Experts:
    """Return the mixture if it has up to `most` experts, of which a token takes `most_chosen`. Raises `ValueError`."""
    if experts.count > most or experts.chosen > min(experts.count, most_chosen):
        raise ValueError(f"{experts.chosen} of {experts.count} experts; the engine takes {most_chosen} of up to {most}")
    own = experts.routing
    if own is None:
        return experts
    if own.groups > _MOST_GROUPS or experts.count % own.groups or own.chosen_groups > own.groups:
        raise ValueError(f"{own.chosen_groups} of {own.groups} groups of {experts.count} experts")
    if experts.count // own.groups * own.chosen_groups < experts.chosen:
        raise ValueError(f"{experts.chosen} experts of {own.chosen_groups} of {own.groups} groups")
    return experts


def _first(data: Mapping[str, Any], *keys: str) -> str:
    return next((key for key in keys if key in data), keys[0])


def _dense(data: Mapping[str, Any], layers: int) -> tuple[int, ...]:
    """Return the layers without experts, as the keys of all architectures have it. Raises `ValueError`."""
    only = data.get("mlp_only_layers") or []
    if not isinstance(only, list) or not all(isinstance(layer, int) for layer in only):
        raise ValueError(f"mlp_only_layers is {shown(only)}")
    step = count(data, "decoder_sparse_step", 1)
    first = max(_number(data, "first_k_dense_replace"), _number(data, "moe_layer_start_index"))
    last = _number(data, "moe_layer_end_index", -1, -1)
    every, interval = count(data, "moe_layer_freq", 1), count(data, "moe_layer_interval", 1)
    return tuple(
        layer
        for layer in range(layers)
        if layer in only
        or layer < first
        or (last != -1 and layer > last)
        or (layer + 1) % step
        or layer % every
        or (layer + 1) % interval
    )


def _number(data: Mapping[str, Any], key: str, least: int = 0, default: int = 0) -> int:
    value = data.get(key)
    return default if value is None or value == least else count(data, key)


def _shared(data: Mapping[str, Any]) -> int:
    if "shared_expert_intermediate_size" in data:
        return count(data, "shared_expert_intermediate_size")
    total = _number(data, _first(data, "n_shared_experts", "moe_num_shared_experts"))
    return shared_width(total, count(data, "moe_intermediate_size"))


def shared_width(total: int, hidden: int) -> int:
    """Return the width of experts that all tokens take, which are one network. Raises `ValueError`."""
    if total > _MOST_SHARED:
        raise ValueError(f"{total} experts that all tokens take; the engine takes {_MOST_SHARED}")
    return total * hidden


def _routing(data: Mapping[str, Any], architecture: Architecture) -> Routing | None:
    """Return how experts are chosen: by logits (None), or by scores and groups."""
    if architecture.routing == "":
        return None
    scores: Scores = "sigmoid" if architecture.routing == "grouped" else "softmax"
    if data.get("scoring_func", scores) != scores:
        raise ValueError(f"scores of experts by {shown(data['scoring_func'])}")
    if architecture.routing == "biased":
        return Routing(scores, biased=True, normalized=True)
    scale = finite(data, "routed_scaling_factor", 1.0)
    method, groups, chosen = data.get("topk_method"), count(data, "n_group", 1), count(data, "topk_group", 1)
    if architecture.routing == "grouped":
        if method not in (None, "noaux_tc"):
            raise ValueError(f"topk_method is {shown(method)}; noaux_tc is supported")
        return Routing(scores, groups, chosen, 2, True, data.get("norm_topk_prob") is not False, scale)
    if method not in (None, "greedy", "group_limited_greedy"):
        raise ValueError(f"topk_method is {shown(method)}; greedy and group_limited_greedy are supported")
    if data.get("norm_topk_prob"):
        raise ValueError("norm_topk_prob, which transformers ignores for DeepSeek-V2, is not supported")
    return Routing(scores, *((groups, chosen) if method == "group_limited_greedy" else (1, 1)), scale=scale)
