"""Data that matmul and matvec share: a matrix of 4-bit weights, 32 with a scale, times vectors."""

from __future__ import annotations

import numpy as np

from hipport.llm.harness.kernel import Call, Output, Work, doubles, halves
from hipport.llm.weights.packing import packed_bytes, unpack
from hipport.llm.weights.tensors import Array
from hipport.llm.weights.tile_formats import FourBits

_PACKING = FourBits(32)


def product(random: np.random.Generator, rows: int, columns: int, count: int, room: int) -> Call:
    """Return a call with `count` vectors of halves, in memory for `room` of them, and weights of any four bits."""
    tiles = _PACKING.random(random, packed_bytes(rows, columns, _PACKING), columns**-0.5)
    vectors = halves(random, room, columns)

    def expected() -> dict[int, Array]:
        shaped = tiles.reshape(-(-rows // 16), -(-columns // _PACKING.tile_columns), _PACKING.tile_bytes)
        return {2: doubles(vectors[:count]) @ unpack(shaped, _PACKING, rows, columns).astype(np.float64).T}

    return Call((rows, columns, count), (tiles, vectors, Output((count, rows), np.float32)), expected)


def product_work(rows: int, columns: int, count: int) -> Work:
    """Return the bytes of the weights, vectors and results, each once, and the operations."""
    return Work(packed_bytes(rows, columns, _PACKING) + count * (2 * columns + 4 * rows), 2 * count * rows * columns)
