"""4-bit weights times many tokens, as in prefill."""

from __future__ import annotations

import numpy as np

from hipport.llm.harness.four_bits import product, product_work
from hipport.llm.harness.kernel import Call, Kernel, Sizes, Work

_WHOLE = 256
"""The memory for tokens is rounded up to a multiple of this many."""


def make(random: np.random.Generator, sizes: Sizes) -> Call:
    """Make a call with random 4-bit weights."""
    count = sizes["tokens"]
    return product(random, sizes["rows"], sizes["columns"], count, -(-count // _WHOLE) * _WHOLE)


def work(sizes: Sizes) -> Work:
    """Count the weights once, the tokens and the results."""
    return product_work(sizes["rows"], sizes["columns"], sizes["tokens"])


KERNEL = Kernel(
    "matmul",
    "matrix of 4-bit weights in groups of 32, times many tokens",
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
