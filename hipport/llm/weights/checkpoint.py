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
from hipport.llm.weights.native import FORMATS, Layout, Native, native
from hipport.llm.weights.packing import pack
from hipport.llm.weights.quantization import Matrix
from hipport.llm.weights.tensors import Array, Part, Wanted, native_wanted, row_order, wanted
from hipport.llm.weights.tile_formats import rounded, stacked_floats

_SIXTEEN = ("sixteen", 64)
"""The format of matrices that are not in another one of the engine's."""


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
        if self.formats.native:
            return native_wanted(self.config, self._layout)
        return wanted(self.config, self.formats.packing)

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
        name, group = self.source.native_format(part) or _SIXTEEN
        return Layout(FORMATS[name], group, rows, columns)

    def _native(self, tensor: Wanted, layout: Layout) -> Array:
        (part,) = tensor.parts
        if layout.format is FORMATS[_SIXTEEN[0]]:
            whole = native(*_SIXTEEN, _even(rounded(stacked_floats([self.source.read(part)]), self.formats.number)))
        else:
            whole = self.source.read_native(part)
        some = whole.rows(slice(tensor.first, tensor.first + tensor.shape[0]))
        return some.padded(layout.rows, layout.columns).packed()

    def _made(self, tensor: Wanted) -> Array:
        if tensor.layout:
            return self._native(tensor, tensor.layout)
        parts = [self.source.read(part) for part in tensor.parts]
        order = row_order(self.config, tensor)
        if tensor.packing:
            return pack(tensor.packing.stacked(parts), tensor.packing, order)
        values = stacked_floats(parts)
        return rounded(values if order is None else values[order], self.formats.number)


def _even(values: Array) -> Array:
    """Pad the columns to a whole number of groups."""
    return np.pad(values, ((0, 0), (0, -values.shape[1] % _SIXTEEN[1])))
