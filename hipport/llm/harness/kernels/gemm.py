"""Matrix multiplication with a common epilogue: bias, two added matrices, FastGELU."""

from __future__ import annotations

import numpy as np

from hipport.llm.harness.kernel import Call, Kernel, Output, Sizes, Work, doubles, halves
from hipport.llm.weights.tensors import Array

FAST_GELU = 1


def make(random: np.random.Generator, sizes: Sizes) -> Call:
    """Make a call; bias and added matrices are omitted if sizes["plain"] is 1."""
    rows, columns, depth = sizes["rows"], sizes["columns"], sizes["depth"]
    left, right = halves(random, rows, depth), halves(random, columns, depth, scale=depth**-0.5)
    more = (
        [None] * 3 if sizes.get("plain") else [halves(random, *shape) for shape in ((columns,), *[(rows, columns)] * 2)]
    )

    def expected() -> dict[int, Array]:
        sums = doubles(left) @ doubles(right).T + sum(doubles(matrix) for matrix in more if matrix is not None)
        return {2: fast_gelu(sums)}

    return Call((rows, columns, depth, FAST_GELU), (left, right, Output((rows, columns)), *more), expected)


def fast_gelu(x: Array) -> Array:
    """Return GELU in its tanh approximation."""
    return np.asarray(0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))))


def work(sizes: Sizes) -> Work:
    """Count every matrix once."""
    rows, columns, depth = sizes["rows"], sizes["columns"], sizes["depth"]
    return Work(2 * (rows * depth + columns * depth + 3 * rows * columns + columns), 2 * rows * columns * depth)


KERNEL = Kernel(
    "gemm",
    "FastGELU(left right^T + bias + first + second), half precision, 32-bit accumulation",
    timed={"rows": 4096, "columns": 4096, "depth": 4096},
    checks=(
        {"rows": 64, "columns": 64, "depth": 64},
        {"rows": 1, "columns": 200, "depth": 33},
        {"rows": 131, "columns": 70, "depth": 40, "plain": 1},
    ),
    drawn={"rows": range(1, 200), "columns": range(1, 200), "depth": range(1, 100), "plain": (0, 1)},
    make=make,
    work=work,
    limit="flops",
)
