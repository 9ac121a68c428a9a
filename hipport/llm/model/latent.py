"""Multi-head latent attention (DeepSeek-V2, arXiv:2405.04434)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hipport.llm.model.rope_scaling import temperature_scale
from hipport.llm.model.values import count

_COLUMNS = 64
"""Latent vectors are multiplied with matrices, and are multiples of this wide, as are the values of all heads."""
_ROWS = 16
"""The parts of heads are multiples of this wide."""
_MOST_RANK, _MOST_ROPE = 512, 64
"""The widest latent vectors and rotated parts of heads for which kernels have shared memory."""


@dataclass(frozen=True, slots=True)
class Latent:
    """The widths of latent attention.

    Keys and values of all heads are made from a vector of `rank` dimensions, queries from one of `query_rank`, or where
    that is 0 from the residual stream. A head's queries and keys have `nope` dimensions, and `rope` behind them that
    are rotated; keys of all heads share those. Values have `value` dimensions. `interleaved`: neighboring dimensions
    are rotated together, else those half of `rope` apart.
    """

    query_rank: int
    rank: int
    nope: int
    rope: int
    value: int
    interleaved: bool = True

    @property
    def cached(self) -> int:
        """The width of what the cache has of a token."""
        return self.rank + self.rope

    @property
    def query(self) -> int:
        """The width of a head's queries and keys."""
        return self.nope + self.rope

    def head_width(self, widths: tuple[int, ...]) -> int:
        """Return the least of the engine's widths of heads that heads fit in. Raises `ValueError`."""
        needed = max(self.query, self.value)
        found = min((width for width in widths if width >= needed), default=None)
        if found is None:
            raise ValueError(f"heads of {needed}; the engine takes heads of up to {max(widths)}")
        return found

    def query_scale(self, data: Mapping[str, Any], head_width: int) -> float:
        """Return the factor of queries besides that for the engine's width of heads; `data` is `config.json`."""
        return math.sqrt(head_width / self.query) * temperature_scale(data)


def read_latent(data: Mapping[str, Any], heads: int) -> Latent:
    """Read the widths in `config.json`. Raises `KeyError` and `ValueError`."""
    return checked_latent(
        Latent(
            query_rank=count(data, "q_lora_rank") if data.get("q_lora_rank") is not None else 0,
            rank=count(data, "kv_lora_rank"),
            nope=count(data, "qk_nope_head_dim"),
            rope=count(data, "qk_rope_head_dim"),
            value=count(data, "v_head_dim"),
            interleaved=data.get("rope_interleave") is not False,
        ),
        heads,
    )


def checked_latent(latent: Latent, heads: int) -> Latent:
    """Return the widths if the engine has kernels for them. Raises `ValueError`."""
    if latent.rank % _COLUMNS or latent.query_rank % _COLUMNS or heads * latent.value % _COLUMNS:
        raise ValueError(
            f"latent vectors of {latent.rank} and {latent.query_rank}, {heads} heads with values of {latent.value}; "
            f"the engine takes multiples of {_COLUMNS}"
        )
    if latent.nope % _ROWS or latent.rope % _ROWS or latent.value % _ROWS:
        raise ValueError(
            f"heads of {latent.nope} and {latent.rope} dimensions, and values of {latent.value}; "
            f"the engine takes multiples of {_ROWS}"
        )
    if latent.rank > _MOST_RANK or latent.rope > _MOST_ROPE:
        raise ValueError(
            f"latent vectors of {latent.rank} and rotated parts of {latent.rope} dimensions; "
            f"the engine takes up to {_MOST_RANK} and {_MOST_ROPE}"
        )
    return latent
