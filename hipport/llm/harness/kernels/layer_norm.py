"""LayerNorm of rows, after adding a residual."""

from __future__ import annotations

import numpy as np

from hipport.llm.harness.kernel import Call, Kernel, Output, Sizes, Work, doubles, halves
from hipport.llm.harness.kernels.group_norm import EPSILON, normalised
from hipport.llm.weights.tensors import Array


def make(random: np.random.Generator, sizes: Sizes) -> Call:
    """Make a call; sizes["plain"] = 1 omits the residual, sizes["summed"] = 1 also outputs the sum."""
    rows, width = sizes["rows"], sizes["width"]
    values, factors, summands = halves(random, rows, width), halves(random, width), halves(random, width)
    residual = None if sizes.get("plain") else halves(random, rows, width)
    sums = Output(values.shape) if sizes.get("summed") else None

    def expected() -> dict[int, Array]:
        summed = doubles(values) if residual is None else doubles(values) + doubles(residual)
        normal = {1: normalised(summed, (1,), EPSILON) * doubles(factors) + doubles(summands)}
        return normal if sums is None else {**normal, 5: summed}

    return Call((rows, width), (values, Output(values.shape), factors, summands, residual, sums), expected, (EPSILON,))


def work(sizes: Sizes) -> Work:
    """Count the input, the residual if any, and one or two outputs."""
    elements = sizes["rows"] * sizes["width"]
    return Work((4 + 2 * (not sizes.get("plain")) + 2 * bool(sizes.get("summed"))) * elements, 9 * elements)


KERNEL = Kernel(
    "layer_norm",
    "LayerNorm(input + residual) with scale and bias per column",
    timed={"rows": 16384, "width": 4096},
    checks=(
        {"rows": 3, "width": 768},
        {"rows": 70, "width": 40, "plain": 1},
        {"rows": 2, "width": 37},
        {"rows": 1, "width": 3000},
        {"rows": 5, "width": 776, "summed": 1},
    ),
    drawn={"rows": range(1, 70), "width": range(1, 900), "plain": (0, 1), "summed": (0, 1)},
    make=make,
    work=work,
    limit="copy",
)
