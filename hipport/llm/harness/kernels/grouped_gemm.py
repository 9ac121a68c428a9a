"""Products of the rows of groups with a matrix of each group, as in mixtures of experts, with bias and activation."""

from __future__ import annotations

import numpy as np

from hipport.llm.harness.kernel import Call, Kernel, Output, Sizes, Work, doubles, halves
from hipport.llm.harness.kernels.gemm import FAST_GELU, fast_gelu
from hipport.llm.weights.tensors import Array


def make(random: np.random.Generator, sizes: Sizes) -> Call:
    """Make a call whose rows belong to random groups, some of which may have none; sizes["plain"] = 1: no bias."""
    groups, rows, columns, depth = (sizes[name] for name in ("groups", "rows", "columns", "depth"))
    starts = group_starts(random, groups, rows)
    left, right = halves(random, rows, depth), halves(random, groups, columns, depth, scale=depth**-0.5)
    bias = None if sizes.get("plain") else halves(random, groups, columns)

    def expected() -> dict[int, Array]:
        found = np.empty((rows, columns))
        for group in range(groups):
            own = slice(starts[group], starts[group + 1])
            found[own] = doubles(left[own]) @ doubles(right[group]).T + (0 if bias is None else doubles(bias[group]))
        return {3: fast_gelu(found)}

    buffers = (starts, left, right, Output((rows, columns)), bias)
    return Call((groups, rows, columns, depth, FAST_GELU), buffers, expected)


def group_starts(random: np.random.Generator, groups: int, rows: int) -> Array:
    """Return the first row of each group, and the number of rows."""
    counts = np.bincount(random.integers(0, groups, rows), minlength=groups)
    starts: Array = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
    return starts


def work(sizes: Sizes) -> Work:
    """Count every matrix once."""
    groups, rows, columns, depth = (sizes[name] for name in ("groups", "rows", "columns", "depth"))
    return Work(2 * (rows * depth + groups * columns * (depth + 1) + rows * columns), 2 * rows * columns * depth)


KERNEL = Kernel(
    "grouped_gemm",
    "FastGELU(rows matrix^T + bias) with a matrix and a bias for each group of rows: experts",
    timed={"groups": 64, "rows": 8192, "columns": 2048, "depth": 2048},
    checks=(
        {"groups": 3, "rows": 130, "columns": 70, "depth": 40},
        {"groups": 5, "rows": 3, "columns": 16, "depth": 33, "plain": 1},
        {"groups": 1, "rows": 70, "columns": 64, "depth": 64},
    ),
    drawn={
        "groups": range(1, 9), "rows": range(1, 200), "columns": range(1, 150), "depth": range(1, 100), "plain": (0, 1)
    },
    make=make,
    work=work,
    limit="flops",
)  # fmt: skip
