"""RMSNorm as in Llama-family models, fused with a residual addition if sizes["fused"] is 1."""

from __future__ import annotations

import numpy as np

from hipport.llm.harness.kernel import Call, Kernel, Output, Sizes, Work, doubles, halves
from hipport.llm.weights.tensors import Array

EPSILON = 1e-5


def make(random: np.random.Generator, sizes: Sizes) -> Call:
    """Make a call with single-precision rows. The fused kernel also outputs the sum, the new residual stream."""
    rows, width = sizes["rows"], sizes["width"]
    values, factors = random.standard_normal((rows, width), np.float32) * 3, halves(random, width)
    added = halves(random, rows, width) if sizes.get("fused") else None
    summed = Output(values.shape, np.float32) if sizes.get("fused") else None

    def expected() -> dict[int, Array]:
        stream = doubles(values) if added is None else doubles(values) + doubles(added)
        scale = 1 / np.sqrt((stream**2).mean(axis=1, keepdims=True) + EPSILON)
        normal = {2: stream * scale * doubles(factors)}
        return normal if summed is None else {**normal, 4: stream}

    return Call((rows, width), (values, factors, Output(values.shape), added, summed), expected, (EPSILON,))


def work(sizes: Sizes) -> Work:
    """Count 4 bytes read and 2 written per element; with a residual, 2 more read and 4 more written."""
    elements = sizes["rows"] * sizes["width"]
    return Work((12 if sizes.get("fused") else 6) * elements, 4 * elements)


KERNEL = Kernel(
    "rms_norm",
    "RMSNorm of rows in single precision, with a scale per column",
    timed={"rows": 16384, "width": 4096},
    checks=(
        {"rows": 3, "width": 64},
        {"rows": 2, "width": 8192},
        {"rows": 70, "width": 128},
        {"rows": 5, "width": 192, "fused": 1},
    ),
    drawn={"rows": range(1, 9), "width": range(64, 4097, 64), "fused": (0, 1)},
    make=make,
    work=work,
    limit="copy",
)
