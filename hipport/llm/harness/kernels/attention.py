"""Batched multi-head attention of whole sequences: GEMM, softmax, GEMM."""

from __future__ import annotations

import numpy as np

from hipport.llm.harness.kernel import Call, Kernel, Output, Sizes, Work, doubles, halves
from hipport.llm.weights.tensors import Array


def make(random: np.random.Generator, sizes: Sizes) -> Call:
    """Make a call with the heads of a position adjacent: positions are heads * width elements apart."""
    batch, heads, queries, keys, width = (sizes[name] for name in ("batch", "heads", "queries", "keys", "width"))
    causal, lengths = sizes.get("causal", 0), None
    query = halves(random, batch, queries, heads, width)
    key, value = (halves(random, batch, keys, heads, width) for _ in range(2))
    if sizes.get("lengths"):
        lengths = random.integers(1, keys + 1, batch).astype(np.int32)
    scale = width**-0.5

    def expected() -> dict[int, Array]:
        return {3: attention(doubles(query), doubles(key), doubles(value), scale, bool(causal), lengths)}

    stride = heads * width
    numbers = (batch, heads, queries, keys, width, stride, stride, causal)
    return Call(numbers, (query, key, value, Output(query.shape), lengths), expected, (scale,))


def attention(query: Array, key: Array, value: Array, scale: float, causal: bool, lengths: Array | None) -> Array:
    """Return attention of [batch][position][head][width] in double precision."""
    scores = np.einsum("bqhw,bkhw->bhqk", query, key, optimize=True) * scale
    queries, keys = scores.shape[2:]
    if causal:
        scores = np.where(np.tril(np.ones((queries, keys), bool)), scores, -np.inf)
    if lengths is not None:
        scores = np.where(np.arange(keys) < lengths[:, None, None, None], scores, -np.inf)
    likely = np.exp(scores - scores.max(axis=3, keepdims=True))
    mixed = np.einsum("bhqk,bkhw->bqhw", likely / likely.sum(axis=3, keepdims=True), value, optimize=True)
    return np.asarray(mixed)


def work(sizes: Sizes) -> Work:
    """Count two products; half of that if causal."""
    batch, heads, queries, keys, width = (sizes[name] for name in ("batch", "heads", "queries", "keys", "width"))
    flops = 4 * batch * heads * queries * keys * width // (2 if sizes.get("causal") else 1)
    return Work(4 * batch * heads * width * (queries + keys), flops)


KERNEL = Kernel(
    "attention",
    "softmax(scale queries keys^T) values for batches and heads: GEMM, softmax, GEMM",
    timed={"batch": 4, "heads": 16, "queries": 1024, "keys": 1024, "width": 64},
    checks=(
        {"batch": 2, "heads": 2, "queries": 70, "keys": 70, "width": 64, "causal": 1},
        {"batch": 3, "heads": 1, "queries": 33, "keys": 130, "width": 64, "lengths": 1},
        {"batch": 1, "heads": 2, "queries": 40, "keys": 37, "width": 128},
        {"batch": 1, "heads": 3, "queries": 5, "keys": 3, "width": 20},
    ),
    drawn={
        "batch": (1, 2),
        "heads": (1, 3),
        "queries": range(1, 90),
        "keys": range(1, 90),
        "width": range(1, 129),
        "lengths": (0, 1),
    },
    make=make,
    work=work,
    limit="flops",
    tolerance=4e-3,
)
