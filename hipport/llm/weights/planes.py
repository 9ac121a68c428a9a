"""The formats of packed matrices in planes (`native.py`): for engines that were built for planes only."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hipport.llm.model.config import ModelConfig
from hipport.llm.weights.formats import Formats
from hipport.llm.weights.native import FORMATS, Layout, Native, native
from hipport.llm.weights.quantization import Matrix, Quantized, quantize
from hipport.llm.weights.tensors import LayoutOf, Wanted, native_wanted, wanted
from hipport.llm.weights.tile_formats import FourBits

SIXTEEN = ("sixteen", 64)
"""The format of matrices that are not in another one of the engine's, and the columns that it is padded to."""


def plane_layout(formats: Formats, rows: int, columns: int) -> Layout:
    """Return the layout of a matrix in a format of packed matrices."""
    packing = formats.packing
    name, group = ("four", packing.group) if isinstance(packing, FourBits) else SIXTEEN
    return Layout(FORMATS[name], group, rows, columns)


def exact_layout(part: object, rows: int, columns: int) -> Layout:
    """Return the layout of a matrix in 16 bits."""
    name, group = SIXTEEN
    return Layout(FORMATS[name], group, rows, columns)


def engine_tensors(config: ModelConfig, formats: Formats, layout_of: LayoutOf) -> Iterator[Wanted]:
    """Yield the tensors of an engine for these formats, with the layouts of the matrices that are in planes."""
    if formats.native or config.general:
        return native_wanted(config, layout_of, exact_layout, formats.packing)
    return wanted(config, formats.packing)


def in_planes(matrix: Matrix, group: int) -> Native:
    """Return a matrix in 4 bits with a scale for each group of a row's columns, which are padded to whole groups."""
    if not isinstance(matrix, Quantized) or matrix.group != group:
        floats = matrix.floats() if isinstance(matrix, Quantized) else matrix
        matrix = quantize(np.pad(floats, ((0, 0), (0, -floats.shape[1] % group))), group)
    return native("four", group, matrix.numbers, matrix.scales)
