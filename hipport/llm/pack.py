"""Matrices of 4-bit weights, packed as the kernels read them (kernels/tiles.cuh).

Weights are quantised as MLC's q4f16_1 does: groups of 32 columns share a half precision scale, the largest magnitude by
7; a weight is a whole number from -7 to 7 times the scale. The tiles keep that number plus 8.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from hipport.errors import HipportError

TILE_ROWS, TILE_COLUMNS = 16, 64
GROUP = 32
WEIGHT_BYTES = TILE_ROWS * TILE_COLUMNS // 2
TILE_BYTES = WEIGHT_BYTES + TILE_ROWS * TILE_COLUMNS // GROUP * 2
_ZERO = 8
_LARGEST = 7
# The four weights of a word's lane lie in bytes 0, 2, 1, 3.
_BYTE_ORDER = (0, 2, 1, 3)
_CHUNK = 1 << 18
"""So many weights are worked on at a time: they fit into a core's cache."""

Floats: TypeAlias = npt.NDArray[np.floating]
Bytes: TypeAlias = npt.NDArray[np.uint8]
Numbers: TypeAlias = npt.NDArray[np.int64]


def packed_bytes(rows: int, columns: int) -> int:
    """The size of a packed matrix."""
    return -(-rows // TILE_ROWS) * -(-columns // TILE_COLUMNS) * TILE_BYTES


def pack(matrix: Floats, order: Numbers | None = None) -> Bytes:
    """Quantise and pack a matrix [rows][columns]; with `order`, row i of the packed one is row `order[i]`.

    The result is [row tiles][column tiles][TILE_BYTES]; rows and columns that fill up the last tiles are zero, as are
    rows whose number in `order` is -1. Raises `HipportError` for weights that are not finite, or too large for a scale
    in half precision.
    """
    rows = len(matrix) if order is None else len(order)
    tiles = np.empty((-(-rows // TILE_ROWS), -(-matrix.shape[1] // TILE_COLUMNS), TILE_BYTES), np.uint8)
    for first, last in _chunks(*tiles.shape[:2]):
        numbers, scales = quantise(_tall(matrix, order, first * TILE_ROWS, last * TILE_ROWS))
        _to_tiles(numbers, scales, tiles[first:last])
    return tiles


def unpack(tiles: Bytes, rows: int, columns: int) -> npt.NDArray[np.float32]:
    """The weights [rows][columns] that a packed matrix stands for."""
    tall, wide = tiles.shape[:2]
    lanes = tiles[..., :WEIGHT_BYTES].reshape(tall, wide, 8, 4, 2, 2, 4)[..., np.argsort(_BYTE_ORDER)]
    numbers = np.stack((lanes & 15, lanes >> 4)).transpose(1, 0, 3, 2, 5, 4, 6, 7)
    scales = tiles[..., WEIGHT_BYTES:].copy().view(np.float16).reshape(tall, wide, 8, 2, 2).transpose(0, 3, 2, 1, 4)
    groups = (numbers.reshape(tall * TILE_ROWS, wide * 2, GROUP).astype(np.float32) - _ZERO) * scales.reshape(
        tall * TILE_ROWS, wide * 2, 1
    ).astype(np.float32)
    return groups.reshape(tall * TILE_ROWS, -1)[:rows, :columns]


def quantise(matrix: Floats) -> tuple[Bytes, npt.NDArray[np.float16]]:
    """Numbers from 1 to 15, 8 for zero, [rows][columns], and scales, [rows][columns / 32]; `columns` fills groups."""
    groups = matrix.astype(np.float32).reshape(len(matrix), -1, GROUP)
    largest = np.abs(groups).max(axis=2)
    with np.errstate(over="ignore"):
        scales = (largest / _LARGEST).astype(np.float16)
    if not np.isfinite(scales).all():
        raise HipportError("weights that are not finite, or too large for half precision")
    inverse = np.divide(1.0, scales, out=np.zeros(scales.shape, np.float32), where=scales > 0, dtype=np.float32)
    np.rint(np.multiply(groups, inverse[..., None], out=groups), out=groups)
    np.clip(groups, -_LARGEST, _LARGEST, out=groups)
    return (groups + _ZERO).astype(np.uint8).reshape(matrix.shape), scales


def qkv_order(heads: int, kv_heads: int, head_width: int) -> Numbers:
    """Where each row of the packed queries, keys and values comes from, of those three one after the other.

    Within a head, dimensions i and i + half of its width, which RoPE turns together, are 8 rows apart.
    """
    half = head_width // 2
    head = (np.arange(half).reshape(-1, 1, 8) + np.array([[[0], [half]]])).reshape(-1)
    return (np.arange(heads + 2 * kv_heads)[:, None] * head_width + head).reshape(-1)


def gate_up_order(hidden: int, padded: int) -> Numbers:
    """Where each row of the packed gate and up comes from: 8 rows of gate, the same 8 of up; -1 for padding."""
    rows = np.arange(padded)
    gate = np.where(rows < hidden, rows, -1).reshape(-1, 1, 8)
    up = np.where(gate >= 0, gate + hidden, -1)
    return np.concatenate((gate, up), axis=1).reshape(-1)


def _chunks(tall: int, wide: int) -> Iterator[tuple[int, int]]:
    step = max(1, _CHUNK // (wide * TILE_ROWS * TILE_COLUMNS))
    for first in range(0, tall, step):
        yield first, min(first + step, tall)


def _tall(matrix: Floats, order: Numbers | None, first: int, last: int) -> Floats:
    """Rows `first` to `last` of the packed matrix, with padding in both directions."""
    if order is None:
        some = matrix[first:last]
    else:
        wanted = order[first:last]
        some = matrix[wanted]
        some[wanted < 0] = 0
    missing = (last - first - len(some), -some.shape[1] % TILE_COLUMNS)
    return np.pad(some, ((0, missing[0]), (0, missing[1]))) if any(missing) else some


def _to_tiles(numbers: Bytes, scales: npt.NDArray[np.float16], tiles: Bytes) -> None:
    tall, wide = tiles.shape[:2]
    # Axes: row of tiles, upper or lower half, row g; column of tiles, half, lane t, word, weight.
    axes = numbers.reshape(tall, 2, 8, wide, 2, 4, 2, 4)
    lanes = (axes[:, 0] | axes[:, 1] << 4)[..., _BYTE_ORDER].transpose(0, 2, 1, 4, 3, 5, 6)
    tiles[..., :WEIGHT_BYTES] = lanes.reshape(tall, wide, WEIGHT_BYTES)
    by_row = scales.reshape(tall, 2, 8, wide, 2).transpose(0, 3, 2, 1, 4)
    tiles[..., WEIGHT_BYTES:] = np.ascontiguousarray(by_row).reshape(tall, wide, -1).view(np.uint8)
