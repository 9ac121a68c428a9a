"""4-bit weights times many tokens, as in prefill."""

from __future__ import annotations

import numpy as np

from hipport.llm.harness.kernel import Call, Kernel, Output, Sizes, Work, doubles, halves
from hipport.llm.pack import packed_bytes, unpack
from hipport.llm.packing import FourBits
from hipport.llm.plan import Array

_PACKING = FourBits(32)
_WHOLE = 256
"""The memory for tokens is rounded up to a multiple of this many."""


def make(random: np.random.Generator, sizes: Sizes) -> Call:
    """Make a call with random 4-bit weights."""
    rows, columns, count = sizes["rows"], sizes["columns"], sizes["tokens"]
    tiles = _PACKING.random(random, packed_bytes(rows, columns, _PACKING), columns**-0.5)
    tokens = halves(random, -(-count // _WHOLE) * _WHOLE, columns)

    def expected() -> dict[int, Array]:
        shaped = tiles.reshape(-(-rows // 16), -(-columns // _PACKING.tile_columns), _PACKING.tile_bytes)
        return {2: doubles(tokens[:count]) @ unpack(shaped, _PACKING, rows, columns).astype(np.float64).T}

    return Call((rows, columns, count), (tiles, tokens, Output((count, rows), np.float32)), expected)


def work(sizes: Sizes) -> Work:
    """Count the weights once, the tokens and the results."""
    rows, columns, count = sizes["rows"], sizes["columns"], sizes["tokens"]
    return Work(packed_bytes(rows, columns, _PACKING) + count * (2 * columns + 4 * rows), 2 * count * rows * columns)


KERNEL = Kernel(
    "matmul",
    "a matrix of 4-bit weights, 32 with a scale, times many tokens",
    timed={"rows": 11008, "columns": 4096, "tokens": 2048},
    checks=(
        {"rows": 64, "columns": 64, "tokens": 1},
        {"rows": 192, "columns": 320, "tokens": 70},
        {"rows": 320, "columns": 128, "tokens": 300},
    ),
    drawn={"rows": range(64, 641, 64), "columns": range(64, 513, 64), "tokens": range(1, 150)},
    make=make,
    work=work,
    limit="flops",
)
