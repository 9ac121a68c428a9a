"""Opens the weights of a model, which is a Hugging Face folder or a GGUF file."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from hipport.llm.weights.checkpoint import Checkpoint, Source
from hipport.llm.weights.formats import USUAL, Formats


@contextlib.contextmanager
def open_checkpoint(path: Path, formats: Formats = USUAL) -> Iterator[Checkpoint]:
    """Open a Hugging Face folder or a GGUF file.

    Raises `HipportError` for missing or broken files and for tensors of the wrong shape.
    """
    with contextlib.ExitStack() as stack:
        yield Checkpoint(_source(path, stack), formats)


def _source(path: Path, stack: contextlib.ExitStack) -> Source:
    if path.is_file() or path.suffix == ".gguf":
        from hipport.llm.sources.gguf.source import GgufFile

        return GgufFile(path)
    from hipport.llm.sources.huggingface import Folder

    return Folder(path, stack)
