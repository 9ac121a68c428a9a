"""The weights of a model: checked when it is opened, then quantized and packed one tensor at a time."""

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


@contextlib.contextmanager
def open_checkpoint(path: Path, formats: Formats = USUAL) -> Iterator[Checkpoint]:
    """Open a Hugging Face folder or a GGUF file.

    Raises `HipportError` for missing or broken files and for tensors of the wrong shape.
    """
    with contextlib.ExitStack() as stack:
        yield Checkpoint(_source(path, stack), formats)


def _source(path: Path, stack: contextlib.ExitStack) -> Source:
    if path.is_file() or path.suffix == ".gguf":
        from hipport.llm.gguf.source import GgufFile

        return GgufFile(path)
    from hipport.llm.huggingface import Folder

    return Folder(path, stack)
