"""4-bit weights times a few vectors, which dominates decoding."""

from __future__ import annotations

import numpy as np

from hipport.llm.harness.kernel import Call, Kernel, Output, Sizes, Work, doubles, halves
from hipport.llm.pack import packed_bytes, unpack
from hipport.llm.packing import FourBits
from hipport.llm.plan import Array

_PACKING = FourBits(32)


def make(random: np.random.Generator, sizes: Sizes) -> Call:
    """Make a call with random 4-bit weights."""
    rows, columns, count = sizes["rows"], sizes["columns"], sizes["vectors"]
    tiles = _PACKING.random(random, packed_bytes(rows, columns, _PACKING), columns**-0.5)
    vectors = halves(random, count, columns)

    def expected() -> dict[int, Array]:
        shaped = tiles.reshape(-(-rows // 16), -(-columns // _PACKING.tile_columns), _PACKING.tile_bytes)
        return {2: doubles(vectors) @ unpack(shaped, _PACKING, rows, columns).astype(np.float64).T}

    return Call((rows, columns, count), (tiles, vectors, Output((count, rows), np.float32)), expected)


def work(sizes: Sizes) -> Work:
    """Count the weights once, the vectors and the results."""
    rows, columns, count = sizes["rows"], sizes["columns"], sizes["vectors"]
    return Work(packed_bytes(rows, columns, _PACKING) + count * (2 * columns + 4 * rows), 2 * count * rows * columns)


KERNEL = Kernel(
    "matvec",
    "a matrix of 4-bit weights, 32 with a scale, times 1 to 8 vectors",
    timed={"rows": 65536, "columns": 4096, "vectors": 1},
    checks=(
        {"rows": 64, "columns": 64, "vectors": 1},
        {"rows": 192, "columns": 576, "vectors": 3},
        {"rows": 128, "columns": 1024, "vectors": 8},
    ),
    drawn={"rows": range(64, 641, 64), "columns": range(64, 1025, 64), "vectors": range(1, 9)},
    make=make,
    work=work,
    limit="read",
)
