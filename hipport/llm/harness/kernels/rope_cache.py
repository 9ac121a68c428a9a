"""Rotary embedding fused with writing keys and values to the KV cache."""

from __future__ import annotations

import numpy as np

from hipport.llm.harness.kernel import Call, Kernel, Output, Sizes, Work, doubles, halves
from hipport.llm.model.rope import rope_table
from hipport.llm.model.rope_scaling import Rope
from hipport.llm.weights.packing import qkv_order
from hipport.llm.weights.tensors import Array

_PAGE = 32
_BASE = 10000.0
_NAMES = ("tokens", "heads", "kv_heads", "head_width", "first")


def make(random: np.random.Generator, sizes: Sizes) -> Call:
    """Make a call with tokens from position `first` on, and pages that are not empty."""
    tokens, heads, kv_heads, width, first = (sizes[name] for name in _NAMES)
    rows, used = (heads + 2 * kv_heads) * width, -(-(first + tokens) // _PAGE)
    results = random.standard_normal((tokens, rows), np.float32)
    bias = halves(random, rows) if sizes.get("bias") else None
    table = rope_table(Rope(_BASE), width, first + tokens)
    numbers = random.permutation(used + 1).astype(np.int32)[:used]
    pages = halves(random, used + 1, 2, kv_heads, _PAGE, width)

    def expected() -> dict[int, Array]:
        plain = np.empty((tokens, rows))
        plain[:, qkv_order(heads, kv_heads, width)] = results if bias is None else results + doubles(bias)
        made = plain.reshape(tokens, -1, width)
        turned = _turned(made[:, : heads + kv_heads], first)
        filled = doubles(pages)
        for i in range(tokens):
            page, place = numbers[(first + i) // _PAGE], (first + i) % _PAGE
            filled[page, 0, :, place], filled[page, 1, :, place] = turned[i, heads:], made[i, heads + kv_heads :]
        return {3: turned[:, :heads], 4: filled}

    buffers = (results, table, numbers, Output((tokens, heads, width)), pages, bias)
    return Call((tokens, heads, kv_heads, width, first), buffers, expected, (_BASE,))


def _turned(x: Array, first: int) -> Array:
    """Rotate dimensions i and i + half of [token][head][width] by the token's position."""
    half = x.shape[2] // 2
    angles = (np.arange(len(x)) + first)[:, None, None] * _BASE ** (-np.arange(half) / half)
    low, high = x[..., :half], x[..., half:]
    return np.concatenate(
        (low * np.cos(angles) - high * np.sin(angles), high * np.cos(angles) + low * np.sin(angles)), 2
    )


def work(sizes: Sizes) -> Work:
    """Count 4 bytes read and 2 written per result, and the table once."""
    tokens, heads, kv_heads, width, _ = (sizes[name] for name in _NAMES)
    return Work(tokens * width * (6 * (heads + 2 * kv_heads) + 4), 3 * tokens * width * (heads + kv_heads))


KERNEL = Kernel(
    "rope_cache",
    "rotary embedding of queries and keys; writes keys and values to pages",
    timed={"tokens": 8192, "heads": 32, "kv_heads": 32, "head_width": 128, "first": 0},
    checks=(
        {"tokens": 1, "heads": 2, "kv_heads": 1, "head_width": 64, "first": 0},
        {"tokens": 40, "heads": 4, "kv_heads": 2, "head_width": 64, "first": 50, "bias": 1},
        {"tokens": 3, "heads": 1, "kv_heads": 1, "head_width": 128, "first": 31},
    ),
    drawn={
        "tokens": range(1, 70),
        "heads": (2, 4),
        "kv_heads": (1, 2),
        "head_width": (64, 128),
        "first": range(100),
        "bias": (0, 1),
    },
    make=make,
    work=work,
    limit="copy",
)
