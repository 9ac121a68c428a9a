"""Group normalization, channels last."""

from __future__ import annotations

import numpy as np

from hipport.llm.harness.kernel import Call, Kernel, Output, Sizes, Work, doubles, halves
from hipport.llm.weights.tensors import Array

EPSILON = 1e-5


def make(random: np.random.Generator, sizes: Sizes) -> Call:
    """Make a call with means far from 0, where the variance by sums of squares would lose precision."""
    images, positions, channels, groups = (sizes[name] for name in ("images", "positions", "channels", "groups"))
    values = halves(random, images, positions, channels) + np.float16(8)
    factors, summands = (halves(random, channels) for _ in range(2))

    def expected() -> dict[int, Array]:
        grouped = doubles(values).reshape(images, positions, groups, -1)
        normal = normalised(grouped, (1, 3), EPSILON).reshape(values.shape)
        return {1: normal * doubles(factors) + doubles(summands)}

    buffers = (values, Output(values.shape), factors, summands)
    return Call((images, positions, channels, groups), buffers, expected, (EPSILON,))


def normalised(values: Array, axes: tuple[int, ...], epsilon: float) -> Array:
    """Normalize to mean 0 and variance 1 over `axes`."""
    deviations = values - values.mean(axis=axes, keepdims=True)
    return np.asarray(deviations / np.sqrt((deviations**2).mean(axis=axes, keepdims=True) + epsilon))


def work(sizes: Sizes) -> Work:
    """Count one read and one write per element."""
    elements = sizes["images"] * sizes["positions"] * sizes["channels"]
    return Work(4 * elements + 4 * sizes["channels"], 8 * elements)


KERNEL = Kernel(
    "group_norm",
    "group normalization with scale and bias per channel, channels last",
    timed={"images": 32, "positions": 4096, "channels": 256, "groups": 32},
    checks=(
        {"images": 2, "positions": 35, "channels": 32, "groups": 4},
        {"images": 1, "positions": 9, "channels": 30, "groups": 5},
        {"images": 1, "positions": 300, "channels": 16, "groups": 2},
    ),
    drawn={"images": (1, 3), "positions": range(1, 90), "channels": range(12, 97, 12), "groups": (1, 2, 3, 4)},
    make=make,
    work=work,
    limit="copy",
)
