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
        found[:tokens] = _attention(doubles(queries[:tokens]), keys, values, first)
        return {3: found}

    return Call((tokens, heads, kv_heads, width, first), (queries, pages, numbers, out), expected)


def _attention(queries: Array, keys: Array, values: Array, first: int) -> Array:
    """Return attention [token][head][width], computed head by head."""
    made = np.empty(queries.shape)
    group = queries.shape[1] // keys.shape[1]
    hidden = np.arange(len(keys)) > first + np.arange(len(queries))[:, None]
    for head in range(queries.shape[1]):
        scores = queries[:, head] @ keys[:, head // group].T / np.sqrt(queries.shape[2])
        scores[hidden] = -np.inf
        likely = np.exp(scores - scores.max(axis=1, keepdims=True))
        made[:, head] = likely / likely.sum(axis=1, keepdims=True) @ values[:, head // group]
    return made


def work(sizes: Sizes) -> Work:
    """Count half of the tokens as visible to a query on average, and everything before them."""
    tokens, heads, kv_heads, width, first = (sizes[name] for name in _NAMES)
    moved = 4 * width * (tokens * heads + (first + tokens) * kv_heads)
    return Work(moved, 4 * heads * width * (tokens * first + tokens * (tokens + 1) // 2))


KERNEL = Kernel(
    "prefill_attention",
    "causal attention of a prompt's tokens over keys and values in pages of 32, for grouped queries",
    timed={"tokens": 1024, "heads": 32, "kv_heads": 32, "head_width": 128, "first": 0},
    checks=(
        {"tokens": 1, "heads": 2, "kv_heads": 1, "head_width": 64, "first": 0},
        {"tokens": 70, "heads": 4, "kv_heads": 2, "head_width": 64, "first": 45},
        {"tokens": 65, "heads": 1, "kv_heads": 1, "head_width": 128, "first": 0},
    ),
    drawn={
        "tokens": range(1, 100),
        "heads": (2, 4),
        "kv_heads": (1, 2),
        "head_width": (64, 128),
        "first": range(100),
    },
    make=make,
    work=work,
    limit="flops",
    tolerance=3e-3,
)
