"""Matrices of 4-bit weights before packing: integers, and a scale for each group of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from hipport.errors import HipportError

ZERO = 8
"""The number that encodes the weight 0."""
_LARGEST = 7

Floats: TypeAlias = npt.NDArray[np.floating]
Bytes: TypeAlias = npt.NDArray[np.uint8]
Halves: TypeAlias = npt.NDArray[np.float16]
Numbers: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Quantized:
    """A matrix of weights (number - 8) * scale: numbers from 0 to 15 [rows][columns], scales [rows][groups]."""

    numbers: Bytes
    scales: Halves

    @property
    def group(self) -> int:
        """Number of weights in a row that share a scale."""
        return int(self.numbers.shape[1] // self.scales.shape[1])

    def floats(self) -> npt.NDArray[np.float32]:
        """Return the dequantized weights."""
        groups = self.numbers.reshape(*self.scales.shape, -1).astype(np.float32) - ZERO
        return (groups * self.scales[..., None].astype(np.float32)).reshape(self.numbers.shape)

    def rows(self, order: Numbers) -> Quantized:
        """Return the matrix whose row i is row `order[i]` of this one."""
        return Quantized(self.numbers[order], self.scales[order])


Matrix: TypeAlias = Floats | Quantized
"""Weights of a checkpoint."""


def quantize(matrix: Floats, group: int = 32) -> Quantized:
    """Quantize to numbers from 1 to 15; a scale is the largest magnitude of its group divided by 7.

    The number of columns must be a multiple of `group`. Raises `HipportError` for weights that are not finite or too
    large for a half-precision scale.
    """
    groups = matrix.astype(np.float32).reshape(len(matrix), -1, group)
    largest = np.abs(groups).max(axis=2)
    with np.errstate(over="ignore"):
        scales = (largest / _LARGEST).astype(np.float16)
    if not np.isfinite(scales).all():
        raise HipportError("weights that are not finite or too large for half precision")
    inverse = np.divide(1.0, scales, out=np.zeros(scales.shape, np.float32), where=scales > 0, dtype=np.float32)
    np.rint(np.multiply(groups, inverse[..., None], out=groups), out=groups)
    np.clip(groups, -_LARGEST, _LARGEST, out=groups)
    return Quantized((groups + ZERO).astype(np.uint8).reshape(matrix.shape), scales)
