"""The weights of a model: checked first, then one tensor at a time, quantised and packed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from hipport.errors import HipportError
from hipport.llm.config import ModelConfig
from hipport.llm.formats import USUAL, Formats
from hipport.llm.pack import pack
from hipport.llm.packing import rounded, stacked_floats
from hipport.llm.plan import Array, Part, Wanted, row_order, wanted
from hipport.llm.quantised import Matrix
from hipport.llm.text import Text


class Source(Protocol):
    """An open model. All shapes are right, and the files whole: what is left to go wrong are the numbers.

    `files` are what its weights depend on, `notes` what the user should know of them.
    """

    path: Path
    config: ModelConfig
    notes: tuple[str, ...]

    @property
    def files(self) -> tuple[Path, ...]:
        """What the weights depend on."""

    def text(self) -> Text:
        """How the model's tokens are written. Raises `HipportError`."""

    def read(self, part: Part) -> Matrix:
        """One of its tensors."""


class Checkpoint:
    """The engine's tensors, made of those of a model."""

    def __init__(self, source: Source, formats: Formats) -> None:
        self.source = source
        self.formats = formats

    @property
    def config(self) -> ModelConfig:
        """The model's."""
        return self.source.config

    def tensors(self) -> Iterator[tuple[Wanted, Array]]:
        """The engine's tensors, layer by layer. Holds one at a time. Raises `HipportError` for weights out of range."""
        return ((tensor, self.make(tensor)) for tensor in wanted(self.config, self.formats.packing))

    def make(self, tensor: Wanted) -> Array:
        """One of the engine's tensors. Raises `HipportError` for weights out of range."""
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


@contextlib.contextmanager
def open_checkpoint(path: Path, formats: Formats = USUAL) -> Iterator[Checkpoint]:
    """Open a folder as Hugging Face has them, or a GGUF file.

    Raises `HipportError` for what is missing, broken or of another shape than it must be.
    """
    with contextlib.ExitStack() as stack:
        yield Checkpoint(_source(path, stack), formats)


def _source(path: Path, stack: contextlib.ExitStack) -> Source:
    if path.is_file() or path.suffix == ".gguf":
        from hipport.llm.gguf.source import GgufFile

        return GgufFile(path)
    from hipport.llm.huggingface import Folder

    return Folder(path, stack)
