"""The formats of packed matrices: how weights are laid out in tiles, as kernels/packed_tiles.cuh describes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from hipport.errors import HipportError
from hipport.llm.weights.quantization import Bytes, Floats, Matrix, Quantized, quantize

TILE_ROWS = 16
_PIECE = 64
# The four weights of a word's lane lie in bytes 0, 2, 1, 3.
_BYTE_ORDER = (0, 2, 1, 3)
_SPREAD = math.sqrt(2 * sum(weight**2 for weight in range(8)) / 16)
"""Standard deviation of weights from -7 to 7, of which 0 is twice as likely as any other."""
_DIFFERENT = 1_000_003
"""Number of distinct random weights: a prime, so that rows differ."""


class Packing(Protocol):
    """A format of packed matrices: tiles of 16 rows, `tile_columns` columns and `tile_bytes` bytes."""

    @property
    def tile_columns(self) -> int: ...

    @property
    def tile_bytes(self) -> int: ...

    def stacked(self, parts: Sequence[Matrix]) -> Matrix:
        """Concatenate matrices by rows, as exactly as this format allows."""

    def encode(self, matrix: Matrix) -> Bytes:
        """Return the tiles [tall][wide][tile_bytes] of a matrix that fills them. Raises `HipportError`."""

    def decode(self, tiles: Bytes) -> npt.NDArray[np.float32]:
        """Return the matrix that the tiles encode."""

    def random(self, random: np.random.Generator, size: int, spread: float) -> Bytes:
        """Return `size` bytes of tiles with random weights of standard deviation `spread`."""


@dataclass(frozen=True, slots=True)
class FourBits:
    """4-bit weights; `group` of them in a row share a half-precision scale: 32 (MLC's q4f16_1) or 128."""

    group: int

    @property
    def tile_columns(self) -> int:
        return max(_PIECE, self.group)

    @property
    def tile_bytes(self) -> int:
        """Bytes of a tile: its weights, then its scales."""
        return self._weight_bytes + self._groups * TILE_ROWS * 2

    def stacked(self, parts: Sequence[Matrix]) -> Matrix:
        """Concatenate matrices by rows; parts already quantized in this format are kept as they are."""
        if not any(self._is_native(part) for part in parts):
            return stacked_floats(parts)
        own = [self._quantized(part) for part in parts]
        return Quantized(np.concatenate([part.numbers for part in own]), np.concatenate([part.scales for part in own]))

    def encode(self, matrix: Matrix) -> Bytes:
        """Return the tiles [tall][wide][tile_bytes] of a matrix that fills them. Raises `HipportError`."""
        quantized = self._quantized(matrix)
        tall, wide = quantized.numbers.shape[0] // TILE_ROWS, quantized.numbers.shape[1] // self.tile_columns
        tiles = np.empty((tall, wide, self.tile_bytes), np.uint8)
        # Axes: row of tiles, upper or lower half, row g; column of tiles, piece, block, lane t, word, weight.
        axes = quantized.numbers.reshape(tall, 2, 8, wide, -1, 2, 4, 2, 4)
        lanes = (axes[:, 0] | axes[:, 1] << 4)[..., _BYTE_ORDER].transpose(0, 2, 3, 1, 5, 4, 6, 7)
        tiles[..., : self._weight_bytes] = lanes.reshape(tall, wide, -1)
        by_row = quantized.scales.reshape(tall, 2, 8, wide, -1).transpose(0, 3, 2, 1, 4)
        tiles[..., self._weight_bytes :] = np.ascontiguousarray(by_row).reshape(tall, wide, -1).view(np.uint8)
        return tiles

    def decode(self, tiles: Bytes) -> npt.NDArray[np.float32]:
        """Return the matrix that the tiles encode."""
        tall, wide = tiles.shape[:2]
        lanes = tiles[..., : self._weight_bytes].reshape(tall, wide, -1, 8, 4, 2, 2, 4)[..., np.argsort(_BYTE_ORDER)]
        # Axes: half; row of tiles, column of tiles, piece, row g, lane t, block, word, weight.
        numbers = np.stack((lanes & 15, lanes >> 4)).transpose(1, 0, 4, 2, 3, 6, 5, 7, 8)
        scales = tiles[..., self._weight_bytes :].copy().view(np.float16).reshape(tall, wide, 8, 2, -1)
        rows = tall * TILE_ROWS
        return Quantized(numbers.reshape(rows, -1), scales.transpose(0, 3, 2, 1, 4).reshape(rows, -1)).floats()

    def random(self, random: np.random.Generator, size: int, spread: float) -> Bytes:
        """Return `size` bytes of tiles with random weights of standard deviation `spread`.

        Their mean is 0. Otherwise all elements of a product would shift by the same amount, and more from product to
        product, until the sign of the first shift were all that remains of the input.
        """
        words = random.integers(0, 2**64, size // 8, np.uint64)
        tiles = _without_lowest(words).view(np.uint8).reshape(-1, self.tile_bytes)
        scale = np.array([spread / _SPREAD], np.float16)
        tiles[:, self._weight_bytes :] = np.tile(scale.view(np.uint8), self._groups * TILE_ROWS)
        return tiles

    @property
    def _weight_bytes(self) -> int:
        return TILE_ROWS * self.tile_columns // 2

    @property
    def _groups(self) -> int:
        return self.tile_columns // self.group

    def _is_native(self, part: Matrix) -> bool:
        return isinstance(part, Quantized) and part.group == self.group

    def _quantized(self, part: Matrix) -> Quantized:
        if isinstance(part, Quantized):
            return part if part.group == self.group else quantize(part.floats(), self.group)
        return quantize(part, self.group)


@dataclass(frozen=True, slots=True)
class SixteenBits:
    """16-bit weights in the data type of the activations."""

    kind: np.dtype[Any]

    @property
    def tile_columns(self) -> int:
        return _PIECE

    @property
    def tile_bytes(self) -> int:
        return TILE_ROWS * _PIECE * 2

    def stacked(self, parts: Sequence[Matrix]) -> Matrix:
        """Concatenate matrices by rows."""
        return stacked_floats(parts)

    def encode(self, matrix: Matrix) -> Bytes:
        """Return the tiles [tall][wide][tile_bytes] of a matrix that fills them. Raises `HipportError`."""
        floats = matrix.floats() if isinstance(matrix, Quantized) else matrix
        rows, columns = floats.shape
        axes = rounded(floats, self.kind).view(np.uint16).reshape(rows // TILE_ROWS, 2, 8, columns // _PIECE, 2, 4, 8)
        lanes = np.ascontiguousarray(axes.transpose(0, 3, 4, 1, 2, 5, 6))
        return lanes.reshape(rows // TILE_ROWS, columns // _PIECE, -1).view(np.uint8)

    def decode(self, tiles: Bytes) -> npt.NDArray[np.float32]:
        """Return the matrix that the tiles encode."""
        tall, wide = tiles.shape[:2]
        axes = tiles.copy().view(self.kind).reshape(tall, wide, 2, 2, 8, 4, 8).transpose(0, 3, 4, 1, 2, 5, 6)
        return axes.reshape(tall * TILE_ROWS, -1).astype(np.float32)

    def random(self, random: np.random.Generator, size: int, spread: float) -> Bytes:
        """Return `size` bytes of tiles with random weights of standard deviation `spread`: a million, repeated."""
        some = (random.standard_normal(_DIFFERENT, np.float32) * np.float32(spread)).astype(self.kind)
        return np.resize(some, size // 2).view(np.uint8)


def _without_lowest(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Replace each 4-bit 0, the weight -8, which quantization never produces, with 8, the weight 0."""
    some = words | words >> 1
    some |= some >> 2
    return words | (~some & 0x1111_1111_1111_1111) << 3


def rounded(values: Floats, kind: np.dtype[Any]) -> npt.NDArray[Any]:
    """Convert values to a 16-bit type. Raises `HipportError` for those that are not finite in it."""
    with np.errstate(over="ignore"):
        found = values.astype(kind)
    if not np.isfinite(found).all():
        raise HipportError("values that are not finite or too large for half precision")
    return found


def stacked_floats(parts: Sequence[Matrix]) -> Floats:
    """Concatenate matrices by rows, dequantizing them."""
    plain = [part.floats() if isinstance(part, Quantized) else part for part in parts]
    return plain[0] if len(plain) == 1 else np.concatenate(plain)
