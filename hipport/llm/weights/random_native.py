"""Random matrices in the formats of a Q4_K_M file: Q6_K for values, down projections and the head, Q4_K for others.

Where a row is not a multiple of 256 columns, Q8_0 takes their place, as in llama.cpp.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from hipport.llm.weights.native import FACTORED, FORMATS, Layout, Native, native
from hipport.llm.weights.quantization import Bytes

_FINE = ("v_proj", "down_proj", "lm_head", "embed_tokens")
GROUPS: Mapping[str, int] = {"four_factored_min": 32, "six_factored": 16, "eight": 32}
"""The columns that share a scale, of the formats by name."""
_LEAST, _MOST = 16, 64
"""Scales are from 16 to 63."""
_SCALE = math.sqrt(sum(scale**2 for scale in range(_LEAST, _MOST)) / (_MOST - _LEAST))
_HALF_PRECISION = np.dtype(np.float16)
_HALF = 7.5
"""The mean of four-bit numbers."""


def random_layout(name: str, rows: int, columns: int) -> Layout:
    """Return the layout of the matrix made from a tensor of a checkpoint."""
    kind = "six_factored" if any(fine in name for fine in _FINE) else "four_factored_min"
    kind = "eight" if columns % FACTORED else kind
    return Layout(FORMATS[kind], GROUPS[kind], rows, columns)


def random_native(
    random: np.random.Generator, layout: Layout, spread: float, number: np.dtype[np.generic] = _HALF_PRECISION
) -> Native:
    """Return a matrix of random weights with a mean of 0 and a standard deviation near `spread`.

    `number`: the type of weights in 16 bits. Scales have random signs, or minimums balance them, so that any codes will
    do.
    """
    if layout.format.codes.bits == 16:
        values = random.standard_normal((layout.rows, layout.columns), np.float32) * np.float32(spread)
        return native("sixteen", layout.group, values.astype(number))
    codes, high, scales, _, factors = layout.planes
    name = layout.format.name
    planes = [_bytes(random, codes), _bytes(random, high)]
    whole = layout.rows, layout.columns // layout.group
    sizes = random.integers(_LEAST, _MOST, whole, np.uint8)
    signed = np.where(_bytes(random, whole) & 1, sizes.astype(np.int8), -sizes.astype(np.int8))
    if name == "four_factored_min":
        factor = _short(spread / (_SCALE * math.sqrt((16**2 - 1) / 12)))
        both = np.tile(np.array([factor, factor * _HALF], np.float16).view(np.uint8), (layout.rows, factors[1] // 4))
        planes += [sizes, sizes, both]
    elif name == "six_factored":
        factor = spread / (_SCALE * math.sqrt((64**2 - 1) / 12))
        one = np.tile(np.array([factor], np.float16).view(np.uint8), (layout.rows, factors[1] // 2))
        planes += [signed.view(np.uint8), _none(layout), one]
    else:
        # Random signs of scales balance codes, whose mean is half a step below 0.
        steps = 2**layout.format.codes.bits
        halves = (signed * (spread / (_SCALE * math.sqrt((steps**2 - 1) / 12)))).astype(np.float16)
        planes += [halves.view(np.uint8).reshape(scales), _none(layout), _none(layout)]
    return Native(layout.format, layout.group, layout.columns, tuple(planes))


def _bytes(random: np.random.Generator, shape: tuple[int, ...]) -> Bytes:
    count = math.prod(shape)
    words: npt.NDArray[np.uint64] = random.integers(0, 2**64, -(-count // 8), np.uint64)
    return words.view(np.uint8)[:count].reshape(shape)


def _none(layout: Layout) -> Bytes:
    return np.zeros((layout.rows, 0), np.uint8)


def _short(factor: float) -> float:
    """Round to seven bits, so that 7.5 times the factor is a half-precision number, too."""
    fraction, exponent = math.frexp(factor)
    return math.ldexp(round(fraction * 128) / 128, exponent)
