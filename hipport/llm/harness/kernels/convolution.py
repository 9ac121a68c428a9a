"""2D convolution, channels last."""

from __future__ import annotations

import numpy as np

from hipport.llm.harness.kernel import Call, Kernel, Output, Sizes, Work, doubles, halves
from hipport.llm.weights.tensors import Array

_NAMES = ("images", "height", "width", "channels", "outputs", "taps_y", "taps_x")


def make(random: np.random.Generator, sizes: Sizes) -> Call:
    """Make a call; stride, dilation and groups default to 1, padding to 0."""
    images, height, width, channels, outputs, taps_y, taps_x = (sizes[name] for name in _NAMES)
    stride, padding, dilation, groups = _how(sizes)
    depth = taps_y * taps_x * channels // groups
    images_in = halves(random, images, height, width, channels)
    weights = halves(random, outputs, taps_y, taps_x, channels // groups, scale=depth**-0.5)
    bias = halves(random, outputs)

    def expected() -> dict[int, Array]:
        made = convolution(doubles(images_in), doubles(weights), stride, padding, dilation, groups)
        return {2: made + doubles(bias)}

    numbers = (*(sizes[name] for name in _NAMES), stride, padding, dilation, groups)
    return Call(numbers, (images_in, weights, Output((images, *_out(sizes), outputs)), bias), expected)


def convolution(images: Array, weights: Array, stride: int, padding: int, dilation: int, groups: int) -> Array:
    """Convolve tap by tap, in double precision."""
    outputs, taps_y, taps_x, own = weights.shape
    padded = np.pad(images, ((0, 0), (padding, padding), (padding, padding), (0, 0)))
    height, width = (
        (padded.shape[1 + i] - dilation * (taps - 1) - 1) // stride + 1 for i, taps in enumerate((taps_y, taps_x))
    )
    made = np.zeros((len(images), height, width, outputs))
    share = outputs // groups
    for y in range(taps_y):
        for x in range(taps_x):
            top, left = y * dilation, x * dilation
            seen = padded[:, top : top + stride * height : stride, left : left + stride * width : stride]
            for group in range(groups):
                rows = slice(group * share, (group + 1) * share)
                made[..., rows] += seen[:, :height, :width, group * own : (group + 1) * own] @ weights[rows, y, x].T
    return made


def work(sizes: Sizes) -> Work:
    """Count images, weights and the result once."""
    images, height, width, channels, outputs, taps_y, taps_x = (sizes[name] for name in _NAMES)
    positions = images * int(np.prod(_out(sizes)))
    depth = taps_y * taps_x * channels // _how(sizes)[3]
    moved = images * height * width * channels + outputs * depth + positions * outputs
    return Work(2 * moved, 2 * positions * outputs * depth)


def _how(sizes: Sizes) -> tuple[int, int, int, int]:
    return sizes.get("stride", 1), sizes.get("padding", 0), sizes.get("dilation", 1), sizes.get("groups", 1)


def _out(sizes: Sizes) -> tuple[int, int]:
    stride, padding, dilation, _ = _how(sizes)
    height, width = (
        (sizes[length] + 2 * padding - dilation * (sizes[taps] - 1) - 1) // stride + 1
        for length, taps in (("height", "taps_y"), ("width", "taps_x"))
    )
    return height, width


KERNEL = Kernel(
    "convolution",
    "2D convolution with bias, channels last, as an implicit matrix product",
    timed={
        "images": 16, "height": 56, "width": 56, "channels": 256, "outputs": 256, "taps_y": 3, "taps_x": 3,
        "padding": 1,
    },
    checks=(
        {"images": 2, "height": 9, "width": 7, "channels": 16, "outputs": 24, "taps_y": 3, "taps_x": 3, "padding": 1},
        {
            "images": 1, "height": 12, "width": 11, "channels": 3, "outputs": 70, "taps_y": 5, "taps_x": 2,
            "stride": 2, "padding": 2, "dilation": 2,
        },
        {"images": 1, "height": 8, "width": 8, "channels": 32, "outputs": 16, "taps_y": 4, "taps_x": 4, "stride": 4},
        {
            "images": 2, "height": 5, "width": 6, "channels": 32, "outputs": 32, "taps_y": 3, "taps_x": 3, "padding": 1,
            "groups": 2,
        },
    ),
    drawn={
        "images": (1, 2), "height": range(5, 12), "width": range(5, 12), "channels": range(1, 20),
        "outputs": range(1, 70), "taps_y": range(1, 4), "taps_x": range(1, 4), "stride": (1, 2, 3),
        "padding": (0, 1, 2), "dilation": (1, 2),
    },
    make=make,
    work=work,
    limit="flops",
)  # fmt: skip
