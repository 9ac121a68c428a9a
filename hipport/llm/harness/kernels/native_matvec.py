"""Weights in a format of model files times a vector: one sequence's products without any other packing."""

from __future__ import annotations

import numpy as np

from hipport.llm.harness.kernel import Call, Kernel, Output, Sizes, Work, doubles, halves
from hipport.llm.weights.native import FACTORED, FORMATS, Layout
from hipport.llm.weights.random_native import GROUPS, random_native
from hipport.llm.weights.tensors import Array

_OCTET = 8
"""Rows that the device stores together (kernels/native_matrix.h)."""
_NAMES = {FORMATS[name].number: name for name in GROUPS}


def make(random: np.random.Generator, sizes: Sizes) -> Call:
    """Make a call with random weights."""
    layout = _layout(sizes)
    matrix, vector = random_native(random, layout, layout.columns**-0.5), halves(random, layout.columns)
    planes = [_ordered(plane, pieces) for plane, pieces in zip(matrix.planes, _pieces(layout), strict=True)]
    return Call(
        (layout.rows, layout.columns, layout.format.number, layout.group.bit_length() - 1),
        (*planes, vector, Output((layout.rows,), np.float32)),
        lambda: {6: matrix.floats().astype(np.float64) @ doubles(vector)},
    )


def work(sizes: Sizes) -> Work:
    """Count the weights once, the vector and the results."""
    layout = _layout(sizes)
    weights = layout.rows * layout.columns
    return Work(layout.bytes + 2 * layout.columns + 4 * layout.rows, 2 * weights)


def _layout(sizes: Sizes) -> Layout:
    name = _NAMES[sizes["format"]]
    return Layout(FORMATS[name], GROUPS[name], sizes["rows"], sizes["columns"])


def _pieces(layout: Layout) -> tuple[int, ...]:
    """Return the pieces of a row in each plane: quarters of 32 columns, groups, and factors of 256 columns."""
    quarters, groups = layout.columns // 32, layout.columns // layout.group
    return quarters, quarters, groups, groups, layout.columns // FACTORED


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
