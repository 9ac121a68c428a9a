"""Packs matrices as the kernels read them: rows reordered, padded to whole tiles, in one of the formats."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from hipport.llm.weights.quantization import ZERO, Bytes, Matrix, Numbers, Quantized
from hipport.llm.weights.tile_formats import TILE_ROWS, Packing

_CHUNK = 1 << 18
"""Weights to process at a time: they fit into a core's cache."""


def padded(width: int, columns: int) -> int:
    """Return a width rounded up to a multiple of a tile's columns."""
    return -(-width // columns) * columns


def packed_bytes(rows: int, columns: int, packing: Packing) -> int:
    """Return the size of a packed matrix in bytes."""
    return -(-rows // TILE_ROWS) * -(-columns // packing.tile_columns) * packing.tile_bytes


def pack(matrix: Matrix, packing: Packing, order: Numbers | None = None) -> Bytes:
    """Pack a matrix [rows][columns]; with `order`, row i of the result is row `order[i]`.

    The result is [row tiles][column tiles][tile bytes]. Padding rows and columns are zero, as are rows whose number in
    `order` is -1. Raises `HipportError` for weights that are not finite or too large for 16 bits.
    """
    rows, columns = matrix.numbers.shape if isinstance(matrix, Quantized) else matrix.shape
    order = np.arange(rows) if order is None else order
    wide = -(-columns // packing.tile_columns)
    tiles = np.empty((-(-len(order) // TILE_ROWS), wide, packing.tile_bytes), np.uint8)
    for first, last in _chunks(len(tiles), wide * TILE_ROWS * packing.tile_columns):
        some = order[first * TILE_ROWS : last * TILE_ROWS]
        filled = np.pad(some, (0, (last - first) * TILE_ROWS - len(some)), constant_values=-1)
        tiles[first:last] = packing.encode(_filled(matrix, filled, wide * packing.tile_columns))
    return tiles


def unpack(tiles: Bytes, packing: Packing, rows: int, columns: int) -> npt.NDArray[np.float32]:
    """Return the weights [rows][columns] of a packed matrix."""
    return packing.decode(tiles)[:rows, :columns]


def qkv_order(heads: int, kv_heads: int, head_width: int) -> Numbers:
    """Return, for each packed row, its row in queries, keys and values stacked in this order.

    Within a head, dimensions i and i + half of its width, which RoPE rotates together, are 8 rows apart.
    """
    half = head_width // 2
    head = (np.arange(half).reshape(-1, 1, 8) + np.array([[[0], [half]]])).reshape(-1)
    return (np.arange(heads + 2 * kv_heads)[:, None] * head_width + head).reshape(-1)


def gate_up_order(hidden: int, padded: int) -> Numbers:
    """Return, for each packed row, its row in gate and up stacked: 8 of gate, the same 8 of up; -1 for padding."""
    rows = np.arange(padded)
    gate = np.where(rows < hidden, rows, -1).reshape(-1, 1, 8)
    up = np.where(gate >= 0, gate + hidden, -1)
    return np.concatenate((gate, up), axis=1).reshape(-1)


def _chunks(tall: int, row_weights: int) -> Iterator[tuple[int, int]]:
    step = max(1, _CHUNK // row_weights)
    for first in range(0, tall, step):
        yield first, min(first + step, tall)


def _filled(matrix: Matrix, order: Numbers, columns: int) -> Matrix:
    """Return the rows of a matrix in some order (-1: a zero row), padded with zeros to `columns`."""
    if not isinstance(matrix, Quantized):
        return _some(matrix, order, columns, 0)
    return Quantized(
        _some(matrix.numbers, order, columns, ZERO), _some(matrix.scales, order, columns // matrix.group, 0)
    )


def _some(values: npt.NDArray[Any], order: Numbers, columns: int, zero: int) -> npt.NDArray[Any]:
    some = values[order]
    some[order < 0] = zero
    missing = columns - some.shape[1]
    return np.pad(some, ((0, 0), (0, missing)), constant_values=zero) if missing else some
