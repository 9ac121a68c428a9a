"""DeepSeek's latent attention in the metadata of a GGUF file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from hipport.llm.model.latent import Latent, checked_latent
from hipport.llm.model.values import count, finite

_NAME = "deepseek2"


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
