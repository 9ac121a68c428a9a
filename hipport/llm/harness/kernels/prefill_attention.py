"""Attention of a prompt's tokens over a paged KV cache."""

from __future__ import annotations

import numpy as np

from hipport.llm.harness.kernel import Call, Kernel, Sizes, Work, doubles, halves
from hipport.llm.weights.tensors import Array

_PAGE = 32
_WHOLE = 64
"""The memory for queries and results is rounded up to a multiple of this many tokens."""
_NAMES = ("tokens", "heads", "kv_heads", "head_width", "first")


def make(random: np.random.Generator, sizes: Sizes) -> Call:
    """Make a call with pages in random order; output memory beyond the tokens must stay unchanged."""
    tokens, heads, kv_heads, width, first = (sizes[name] for name in _NAMES)
    window = sizes.get("window", 0)
    sinks = halves(random, heads) if sizes.get("sinks") else None
    used = -(-(first + tokens) // _PAGE)
    pages = halves(random, used, 2, kv_heads, _PAGE, width)
    numbers = random.permutation(used).astype(np.int32)
    queries, out = (halves(random, -(-tokens // _WHOLE) * _WHOLE, heads, width) for _ in range(2))

    def expected() -> dict[int, Array]:
        keys, values = (
            doubles(pages[numbers, i]).transpose(0, 2, 1, 3).reshape(-1, kv_heads, width)[: first + tokens]
            for i in range(2)
        )
        found = doubles(out)
        found[:tokens] = _attention(doubles(queries[:tokens]), keys, values, first, window, sinks)
        return {3: found}

    return Call((tokens, heads, kv_heads, width, first, window), (queries, pages, numbers, out, sinks), expected)


def _attention(queries: Array, keys: Array, values: Array, first: int, window: int, sinks: Array | None) -> Array:
    """Return attention [token][head][width], computed head by head.

    A token sees the last `window` positions, or all if it is 0. `sinks` [head], if any, are scores beside those of the
    positions, whose value is zero.
    """
    made = np.empty(queries.shape)
    group = queries.shape[1] // keys.shape[1]
    ahead = first + np.arange(len(queries))[:, None] - np.arange(len(keys))
    hidden = (ahead < 0) | (ahead >= window if window else False)
    for head in range(queries.shape[1]):
        scores = queries[:, head] @ keys[:, head // group].T / np.sqrt(queries.shape[2])
        scores[hidden] = -np.inf
        sink = -np.inf if sinks is None else float(sinks[head])
        most = np.maximum(scores.max(axis=1, keepdims=True), sink)
        likely = np.exp(scores - most)
        made[:, head] = likely / (likely.sum(axis=1, keepdims=True) + np.exp(sink - most)) @ values[:, head // group]
    return made


def work(sizes: Sizes) -> Work:
    """Count half of the tokens as visible to a query on average, and everything before them."""
    tokens, heads, kv_heads, width, first = (sizes[name] for name in _NAMES)
    moved = 4 * width * (tokens * heads + (first + tokens) * kv_heads)
    return Work(moved, 4 * heads * width * (tokens * first + tokens * (tokens + 1) // 2))


KERNEL = Kernel(
    "prefill_attention",
    "causal attention of a prompt's tokens over keys and values in pages of 32, for grouped queries; windows and sinks",
    timed={"tokens": 1024, "heads": 32, "kv_heads": 32, "head_width": 128, "first": 0},
    checks=(
        {"tokens": 1, "heads": 2, "kv_heads": 1, "head_width": 64, "first": 0},
        {"tokens": 70, "heads": 4, "kv_heads": 2, "head_width": 64, "first": 45},
        {"tokens": 65, "heads": 1, "kv_heads": 1, "head_width": 128, "first": 0},
        {"tokens": 150, "heads": 2, "kv_heads": 1, "head_width": 64, "first": 130, "window": 40, "sinks": 1},
        {"tokens": 3, "heads": 1, "kv_heads": 1, "head_width": 128, "first": 200, "window": 1},
    ),
    drawn={
        "tokens": range(1, 100),
        "heads": (2, 4),
        "kv_heads": (1, 2),
        "head_width": (64, 128),
        "first": range(300),
        "window": (0, 0, *range(1, 200)),
        "sinks": (0, 1),
    },
    make=make,
    work=work,
    limit="flops",
    tolerance=3e-3,
)
