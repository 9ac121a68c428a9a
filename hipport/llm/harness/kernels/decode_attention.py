"""Attention of single tokens over a paged KV cache."""

from __future__ import annotations

import numpy as np

from hipport.llm.harness.kernel import Call, Kernel, Output, Sizes, Work, doubles, halves
from hipport.llm.weights.tensors import Array

_PAGE = 32
_NAMES = ("tokens", "heads", "kv_heads", "head_width", "splits", "positions")


def make(random: np.random.Generator, sizes: Sizes) -> Call:
    """Make a call with sequences of random lengths up to sizes["positions"], and their pages in random order."""
    tokens, heads, kv_heads, width, splits, longest = (sizes[name] for name in _NAMES)
    each = -(-longest // _PAGE)
    pages = halves(random, tokens * each, 2, kv_heads, _PAGE, width)
    tables = random.permutation(tokens * each).astype(np.int32).reshape(tokens, each)
    positions = random.integers(0, longest, tokens).astype(np.int32)
    positions[0] = longest - 1
    queries = halves(random, tokens, heads, width)
    partial: Array = np.zeros((tokens, heads, splits, width), np.float16)
    sums: Array = np.zeros((tokens, heads, splits, 2), np.float32)

    def expected() -> dict[int, Array]:
        found = [
            _attention(doubles(queries[i]), doubles(pages[tables[i]]), positions[i] + 1, heads // kv_heads)
            for i in range(tokens)
        ]
        return {4: np.stack(found)}

    numbers = (tokens, heads, kv_heads, width, splits, tokens * each, each)
    buffers = (queries, pages, tables, positions, Output(queries.shape), partial, sums)
    return Call(numbers, buffers, expected, scratch=frozenset({5, 6}))


def _attention(queries: Array, pages: Array, length: int, group: int) -> Array:
    """Return the attention of one token over `pages` [page][2][kv head][position][width]."""
    keys, values = (np.concatenate(list(pages[:, i]), axis=1)[:, :length].repeat(group, axis=0) for i in range(2))
    scores = np.einsum("hw,hpw->hp", queries, keys) / np.sqrt(queries.shape[1])
    likely = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(np.einsum("hp,hpw->hw", likely / likely.sum(axis=1, keepdims=True), values))


def work(sizes: Sizes) -> Work:
    """Count keys and values of all positions once; sequences other than the first are half as long on average."""
    tokens, heads, kv_heads, width, _, longest = (sizes[name] for name in _NAMES)
    positions = longest + (tokens - 1) * (longest + 1) // 2
    return Work(4 * positions * kv_heads * width + 4 * tokens * heads * width, 4 * positions * heads * width)


KERNEL = Kernel(
    "decode_attention",
    "attention of single tokens over keys and values in pages of 32, for grouped queries",
    timed={"tokens": 1, "heads": 32, "kv_heads": 32, "head_width": 128, "splits": 8, "positions": 8192},
    checks=(
        {"tokens": 1, "heads": 2, "kv_heads": 1, "head_width": 64, "splits": 1, "positions": 1},
        {"tokens": 3, "heads": 4, "kv_heads": 2, "head_width": 64, "splits": 3, "positions": 70},
        {"tokens": 2, "heads": 2, "kv_heads": 2, "head_width": 128, "splits": 8, "positions": 33},
    ),
    drawn={
        "tokens": (1, 2, 3),
        "heads": (4, 8),
        "kv_heads": (1, 2, 4),
        "head_width": (64, 128),
        "splits": range(1, 9),
        "positions": range(1, 130),
    },
    make=make,
    work=work,
    limit="read",
    tolerance=3e-3,
)
