"""The weights of a model: checked when it is opened, then quantized and packed one tensor at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from hipport.errors import HipportError
from hipport.llm.model.config import ModelConfig
from hipport.llm.text.tokenizer import Text
from hipport.llm.weights.formats import Formats
from hipport.llm.weights.packing import pack
from hipport.llm.weights.quantization import Matrix
from hipport.llm.weights.tensors import Array, Part, Wanted, row_order, wanted
from hipport.llm.weights.tile_formats import rounded, stacked_floats


class Source(Protocol):
    """An open model whose tensor shapes and file sizes have been checked: only the values can still be invalid.

    `files`: the files that the weights depend on. `notes`: remarks on the weights for the user.
    """

    path: Path
    config: ModelConfig
    notes: tuple[str, ...]

    @property
    def files(self) -> tuple[Path, ...]: ...

    def text(self) -> Text:
        """Return the model's tokenizer. Raises `HipportError`."""

    def read(self, part: Part) -> Matrix:
        """Return one tensor of the model."""


class Checkpoint:
    """The engine's tensors, made from those of a model."""

    def __init__(self, source: Source, formats: Formats) -> None:
        self.source = source
        self.formats = formats

    @property
    def config(self) -> ModelConfig:
        return self.source.config

    def tensors(self) -> Iterator[tuple[Wanted, Array]]:
        """Yield the engine's tensors layer by layer, made one at a time.

        Raises `HipportError` for weights out of range.
        """
        return ((tensor, self.make(tensor)) for tensor in wanted(self.config, self.formats.packing))

    def make(self, tensor: Wanted) -> Array:
        """Return one of the engine's tensors. Raises `HipportError` for weights out of range."""
        try:
            return self._made(tensor)
        except HipportError as error:
            names = " and ".join(part.name for part in tensor.parts)
            raise HipportError(f"{self.source.path}: {names}: {error}") from None

    def _made(self, tensor: Wanted) -> Array:
        parts = [self.source.read(part) for part in tensor.parts]
        order = row_order(self.config, tensor)
        if tensor.packing:
            return pack(tensor.packing.stacked(parts), tensor.packing, order)
        values = stacked_floats(parts)
        return rounded(values if order is None else values[order], self.formats.number)
