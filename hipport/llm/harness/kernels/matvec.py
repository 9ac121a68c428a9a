"""4-bit weights times a few vectors, which dominates decoding."""

from __future__ import annotations

import numpy as np

from hipport.llm.harness.four_bits import product, product_work
from hipport.llm.harness.kernel import Call, Kernel, Sizes, Work


def make(random: np.random.Generator, sizes: Sizes) -> Call:
    """Make a call with random 4-bit weights."""
    count = sizes["vectors"]
    return product(random, sizes["rows"], sizes["columns"], count, count)


def work(sizes: Sizes) -> Work:
    """Count the weights once, the vectors and the results."""
    return product_work(sizes["rows"], sizes["columns"], sizes["vectors"])


KERNEL = Kernel(
    "matvec",
    "matrix of 4-bit weights in groups of 32, times 1 to 8 vectors",
    timed={"rows": 65536, "columns": 4096, "vectors": 1},
    checks=(
        {"rows": 64, "columns": 64, "vectors": 1},
        {"rows": 192, "columns": 576, "vectors": 3},
        {"rows": 128, "columns": 1024, "vectors": 8},
    ),
    drawn={"rows": range(64, 641, 64), "columns": range(64, 1025, 64), "vectors": range(1, 9)},
    make=make,
    work=work,
    limit="read",
)
