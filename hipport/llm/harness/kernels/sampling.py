"""Sampling of tokens from logits."""

from __future__ import annotations

import numpy as np

from hipport.llm.harness.kernel import Call, Kernel, Output, Sizes, Work
from hipport.llm.weights.tensors import Array

_MARGIN = 1e-4
_PENALTY = 1.3


def make(random: np.random.Generator, sizes: Sizes) -> Call:
    """Make a call whose random numbers hit the middle of a token's share, so that rounding cannot pick another."""
    tokens, vocabulary, top_k = sizes["tokens"], sizes["vocabulary"], sizes.get("top_k", 0)
    temperature, top_p, min_p = (sizes.get(name, usual) / 100 for name, usual in _PER_CENT.items())
    logits = random.standard_normal((tokens, vocabulary), np.float32) * 3
    seen = random.integers(0, 2, (tokens, vocabulary), np.uint8)
    numbers = (temperature, top_p, min_p, _PENALTY)
    shares = [_shares(row, marks, top_k, numbers) for row, marks in zip(logits, seen, strict=True)]
    picked = [int(random.choice(np.flatnonzero(share > _MARGIN))) for share in shares]
    points = [share[:token].sum() + share[token] / 2 for share, token in zip(shares, picked, strict=True)]
    bits = (np.array(points) * 2**24).astype(np.uint64) << np.uint64(40)

    def expected() -> dict[int, Array]:
        return {3: np.array(picked)}

    return Call((tokens, vocabulary, top_k), (logits, seen, bits, Output((tokens,), np.int32)), expected, numbers)


def _shares(logits: Array, seen: Array, top_k: int, numbers: tuple[float, ...]) -> Array:
    """Return the probability of each token; at temperature 0, 1 for the most likely."""
    temperature, top_p, min_p, penalty = numbers
    x = logits.astype(np.float64)
    x = np.where(seen > 0, np.where(x > 0, x / penalty, x * penalty), x)
    if temperature == 0:
        return np.eye(len(x))[x.argmax()]
    order = np.argsort(-x)
    weights = np.exp((x[order] - x.max()) / temperature)
    if top_k:
        weights[top_k:] = 0
    weights[np.cumsum(weights) - weights >= top_p * weights.sum()] = 0
    weights[weights < min_p] = 0
    shares = np.empty_like(weights)
    shares[order] = weights / weights.sum()
    return shares


def work(sizes: Sizes) -> Work:
    """Count logits and seen marks once."""
    return Work(5 * sizes["tokens"] * sizes["vocabulary"])


_PER_CENT = {"temperature": 0, "top_p": 100, "min_p": 0}

KERNEL = Kernel(
    "sampling",
    "a token for each row of logits: temperature, top-k, top-p, min-p and repetition penalty (in hundredths)",
    timed={"tokens": 8, "vocabulary": 32000, "temperature": 80, "top_k": 40, "top_p": 95},
    checks=(
        {"tokens": 3, "vocabulary": 1000},
        {"tokens": 5, "vocabulary": 700, "temperature": 100},
        {"tokens": 2, "vocabulary": 513, "temperature": 70, "top_k": 5},
        {"tokens": 2, "vocabulary": 600, "temperature": 150, "top_p": 80, "min_p": 2},
    ),
    drawn={
        "tokens": (1, 2),
        "vocabulary": range(1, 800),
        "temperature": (0, 100),
        "top_k": (0, 1, 7),
        "top_p": (50, 100),
    },
    make=make,
    work=work,
    limit="read",
)
