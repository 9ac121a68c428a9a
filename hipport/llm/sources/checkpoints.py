"""Opens the weights of a model, which is a Hugging Face folder or a GGUF file."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from hipport.errors import UsageError
from hipport.llm.weights.checkpoint import Checkpoint, Source
from hipport.llm.weights.formats import USUAL, Formats

_PARTS = ("config.json", "model.safetensors.index.json", "tokenizer.json", "tokenizer_config.json")


@contextlib.contextmanager
def open_checkpoint(path: Path, formats: Formats = USUAL) -> Iterator[Checkpoint]:
    """Open a Hugging Face folder or a GGUF file.

    Raises `UsageError` if there is nothing at the path, `HipportError` for broken files and tensors of the wrong shape.
    """
    if not os.path.exists(path):  # noqa: PTH110 - False for names that are too long, too
        hint = "A model is a GGUF file or a folder with config.json and weights."
        raise UsageError(f"no such file or folder: {path}", hint=hint)
    with contextlib.ExitStack() as stack:
        yield Checkpoint(_source(path, stack), formats)


def _source(path: Path, stack: contextlib.ExitStack) -> Source:
    if path.name in _PARTS or path.suffix == ".safetensors":
        raise UsageError(f"{path} is a part of a model", hint=f"Give its folder: {path.parent}")
    if path.is_file() or path.suffix == ".gguf":
        from hipport.llm.sources.gguf.source import GgufFile

        return GgufFile(path)
    from hipport.llm.sources.huggingface import Folder

    return Folder(path, stack)
