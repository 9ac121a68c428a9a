"""RMSNorm, as the models of the Llama family have it."""

from __future__ import annotations

import numpy as np

from hipport.llm.harness.kernel import Call, Kernel, Output, Sizes, Work, doubles, halves
from hipport.llm.plan import Array

EPSILON = 1e-5


def make(random: np.random.Generator, sizes: Sizes) -> Call:
    """Rows of single precision."""
    rows, width = sizes["rows"], sizes["width"]
    values, factors = random.standard_normal((rows, width), np.float32) * 3, halves(random, width)

    def expected() -> dict[int, Array]:
        scale = 1 / np.sqrt((doubles(values) ** 2).mean(axis=1, keepdims=True) + EPSILON)
        return {2: values * scale * doubles(factors)}

    return Call((rows, width), (values, factors, Output(values.shape)), expected, (EPSILON,))


def work(sizes: Sizes) -> Work:
    """Four bytes of an element are read, two are written."""
    return Work(6 * sizes["rows"] * sizes["width"], 4 * sizes["rows"] * sizes["width"])


KERNEL = Kernel(
    "rms_norm",
    "RMSNorm of rows in single precision, with a factor for each column",
    timed={"rows": 16384, "width": 4096},
    checks=({"rows": 3, "width": 64}, {"rows": 2, "width": 8192}, {"rows": 70, "width": 128}),
    drawn={"rows": range(1, 9), "width": range(64, 4097, 64)},
    make=make,
    work=work,
    limit="copy",
)
