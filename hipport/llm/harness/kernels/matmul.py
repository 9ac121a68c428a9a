"""4-bit weights times many tokens: what prompts go through."""

from __future__ import annotations

import numpy as np

from hipport.llm.harness.four_bits import product, product_work
from hipport.llm.harness.kernel import Call, Kernel, Sizes, Work

_WHOLE = 256
"""Tokens have memory for a multiple of so many."""


def make(random: np.random.Generator, sizes: Sizes) -> Call:
    """Weights of any four bits."""
    count = sizes["tokens"]
    return product(random, sizes["rows"], sizes["columns"], count, -(-count // _WHOLE) * _WHOLE)


def work(sizes: Sizes) -> Work:
    """The weights once, the tokens and results."""
    return product_work(sizes["rows"], sizes["columns"], sizes["tokens"])


KERNEL = Kernel(
    "matmul",
    "a matrix of 4-bit weights, 32 with a scale, times many tokens",
    timed={"rows": 11008, "columns": 4096, "tokens": 2048},
    checks=(
        {"rows": 64, "columns": 64, "tokens": 1},
        {"rows": 192, "columns": 320, "tokens": 70},
        {"rows": 320, "columns": 128, "tokens": 300},
    ),
    drawn={"rows": range(64, 641, 64), "columns": range(64, 513, 64), "tokens": range(1, 150)},
    make=make,
    work=work,
    limit="flops",
)
