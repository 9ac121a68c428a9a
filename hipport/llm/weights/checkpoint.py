"""The weights of a model: checked when it is opened, then quantized and packed one tensor at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import numpy as np

from hipport.errors import HipportError
from hipport.llm.model.config import ModelConfig
from hipport.llm.text.tokenizer import Text
from hipport.llm.weights.formats import Formats, Weights
from hipport.llm.weights.native import FORMATS, Layout, Native, native, stacked
from hipport.llm.weights.packing import pack
from hipport.llm.weights.planes import SIXTEEN, engine_tensors, in_planes, plane_layout
from hipport.llm.weights.quantization import Matrix
from hipport.llm.weights.tensors import Array, Part, Wanted, head_order, row_order
from hipport.llm.weights.tile_formats import rounded, stacked_floats


class Source(Protocol):
    """An open model whose tensor shapes and file sizes have been checked: only the values can still be invalid.

    `files`: the files that the weights depend on. `preferred`: the format of weights to use unless the user says
    otherwise.
    """

    path: Path
    config: ModelConfig

    @property
    def files(self) -> tuple[Path, ...]: ...

    @property
    def preferred(self) -> Weights: ...

    def text(self) -> Text:
        """Return the model's tokenizer. Raises `HipportError`."""

    def read(self, part: Part) -> Matrix:
        """Return one tensor of the model."""

    def native_format(self, part: Part) -> tuple[str, int] | None:
        """Return the engine's format that a matrix has, and the columns that share a scale; None if it has none."""

    def read_native(self, part: Part) -> Native:
        """Return a matrix as it is. Raises `HipportError` for values that cannot be."""

    def notes(self, weights: Weights) -> tuple[str, ...]:
        """Return remarks for the user on how the weights are converted."""


class Checkpoint:
    """The engine's tensors, made from those of a model."""

    def __init__(self, source: Source, formats: Formats) -> None:
        self.source = source
        self.formats = formats.chosen(source.preferred)

    @property
    def config(self) -> ModelConfig:
        return self.source.config

    @property
    def notes(self) -> tuple[str, ...]:
        return self.source.notes(self.formats.weights)

    def wanted(self) -> Iterator[Wanted]:
        """Yield the engine's tensors."""
        return engine_tensors(self.config, self.formats, self._layout)

    def tensors(self) -> Iterator[tuple[Wanted, Array]]:
        """Yield the engine's tensors layer by layer, made one at a time.

        Raises `HipportError` for weights out of range.
        """
        return ((tensor, self.make(tensor)) for tensor in self.wanted())

    def make(self, tensor: Wanted) -> Array:
        """Return one of the engine's tensors. Raises `HipportError` for weights out of range."""
        try:
            return self._made(tensor)
        except HipportError as error:
            names = " and ".join(part.name for part in tensor.parts)
            raise HipportError(f"{self.source.path}: {names}: {error}") from None

    def _layout(self, part: Part, rows: int, columns: int) -> Layout:
        if not self.formats.native:
            return plane_layout(self.formats, rows, columns)
        name, group = self.source.native_format(part) or SIXTEEN
        return Layout(FORMATS[name], group, rows, columns)

    def _native(self, tensor: Wanted, layout: Layout) -> Array:
        if tensor.order == "expert":
            tall = layout.rows // len(tensor.parts)
            return stacked([self._whole(part, layout).padded(tall, layout.columns) for part in tensor.parts]).packed()
        (part,) = tensor.parts
        rows = slice(tensor.first, tensor.first + tensor.shape[0])
        some = self._whole(part, layout).rows(rows)
        order = head_order(self.config, some.shape[0] // self.config.head_width)
        if order is not None and tensor.name in ("query", "key"):
            some = some.rows(order)
        return some.padded(layout.rows, layout.columns).packed()

    def _whole(self, part: Part, layout: Layout) -> Native:
        """Return a matrix in the format of a layout."""
        if layout.format is FORMATS[SIXTEEN[0]]:
            values = rounded(stacked_floats([self.source.read(part)]), self.formats.number)
            return native(*SIXTEEN, _even(values, layout.group))
        if self.formats.native:
            return self.source.read_native(part)
        return in_planes(self.source.read(part), layout.group)

    def _made(self, tensor: Wanted) -> Array:
        if tensor.layout:
            return self._native(tensor, tensor.layout)
        parts = [self.source.read(part) for part in tensor.parts]
        order = row_order(self.config, tensor)
        if tensor.packing:
            return pack(tensor.packing.stacked(parts), tensor.packing, order)
        if tensor.order == "expert_biases":
            wide = tensor.shape[1] // len(parts)
            plain = [stacked_floats([part]) for part in parts]
            plain = [np.pad(part, ((0, 0), (0, wide - part.shape[1]))) for part in plain]
            return rounded(np.concatenate(plain, axis=1), self.formats.number)
        values = stacked_floats(parts)
        values = values if order is None else values[order]
        if tensor.added or tensor.scale != 1.0:
            values = (values.astype(np.float32) + np.float32(tensor.added)) * np.float32(tensor.scale)
        return rounded(values, np.dtype(np.float32) if tensor.floats else self.formats.number)


def _even(values: Array, group: int) -> Array:
    """Pad the columns to a whole number of groups."""
    return np.pad(values, ((0, 0), (0, -values.shape[1] % group)))
