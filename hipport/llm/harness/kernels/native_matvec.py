"""Weights in a format of model files times a vector: one sequence's products without any other packing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hipport.llm.harness.kernel import Call, Kernel, Output, Sizes, Work, doubles, halves
from hipport.llm.weights.native import FORMATS, Native, native
from hipport.llm.weights.tensors import Array

_OCTET = 8
"""Rows that the device stores together (kernels/native_matrix.h)."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """A format by its name in `FORMATS`, the columns of a group, and the bytes of a weight."""

    name: str
    group: int
    bytes: float


_KINDS: Mapping[int, _Kind] = {
    FORMATS[kind.name].number: kind
    for kind in (
        _Kind("eight", 32, 1 + 2 / 32),
        _Kind("four_factored_min", 32, 1 / 2 + 2 / 32 + 4 / 256),
        _Kind("six_factored", 16, 3 / 4 + 1 / 16 + 2 / 256),
    )
}
"""Q8_0, Q4_K and Q6_K by their numbers."""


def make(random: np.random.Generator, sizes: Sizes) -> Call:
    """Make a call with random weights."""
    kind, rows, columns = _KINDS[sizes["format"]], sizes["rows"], sizes["columns"]
    matrix = _random(random, kind, rows, columns)
    vector = halves(random, columns)
    shift = kind.group.bit_length() - 1
    planes = [_ordered(plane, pieces) for plane, pieces in zip(matrix.planes, _pieces(kind, columns), strict=True)]
    return Call(
        (rows, columns, sizes["format"], shift),
        (*planes, vector, Output((rows,), np.float32)),
        lambda: {6: matrix.floats().astype(np.float64) @ doubles(vector)},
    )


def work(sizes: Sizes) -> Work:
    """Count the weights once, the vector and the results."""
    rows, columns = sizes["rows"], sizes["columns"]
    weights = int(rows * columns * _KINDS[sizes["format"]].bytes)
    return Work(weights + 2 * columns + 4 * rows, 2 * rows * columns)


def _random(random: np.random.Generator, kind: _Kind, rows: int, columns: int) -> Native:
    form, shape = FORMATS[kind.name], (rows, columns)
    groups = rows, columns // kind.group
    small = columns**-0.5 / 16
    if form.codes.bits == 8:
        codes = random.integers(-127, 128, shape, np.int8)
        return native(kind.name, kind.group, codes, random.uniform(0.5, 1.5, groups) * small / 8)
    codes = random.integers(0, 16 << form.codes.high, shape, np.uint8)
    if not form.scales.minimum:
        scales, factors = random.integers(-128, 128, groups), random.uniform(0.5, 1.5, (rows, columns // 256))
        return native(kind.name, kind.group, codes, scales, factors=factors * small / 64)
    scales, minimums = random.integers(0, 64, groups), random.integers(0, 64, groups)
    factors = random.uniform(0.5, 1.5, (rows, columns // 256, 2)) * np.array([1.0, 7.5]) * small / 32
    return native(kind.name, kind.group, codes, scales, minimums, factors)


def _pieces(kind: _Kind, columns: int) -> tuple[int, ...]:
    """Return the pieces of a row in each plane: quarters of 32 columns, groups, and factors of 256 columns."""
    groups = columns // kind.group
    return columns // 32, columns // 32, groups, groups, columns // 256


def _ordered(plane: Array, pieces: int) -> Array | None:
    """Return a plane [rows][bytes] in the order of the device: pieces of eight rows next to each other."""
    rows, width = plane.shape
    if width == 0:
        return None
    octets = plane.reshape(rows // _OCTET, _OCTET, pieces, width // pieces)
    return np.ascontiguousarray(octets.transpose(0, 2, 1, 3)).reshape(-1)


KERNEL = Kernel(
    "native_matvec",
    "matrix in a format of model files (5: Q8_0, 6: Q4_K, 8: Q6_K) times a vector",
    timed={"rows": 65536, "columns": 4096, "format": 6},
    checks=(
        {"rows": 256, "columns": 256, "format": 6},
        {"rows": 272, "columns": 1280, "format": 8},
        {"rows": 512, "columns": 768, "format": 5},
    ),
    drawn={"rows": range(16, 1025, 16), "columns": range(256, 2049, 256), "format": (5, 6, 8)},
    make=make,
    work=work,
    limit="read",
)
