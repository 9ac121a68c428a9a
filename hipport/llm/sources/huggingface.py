"""Hugging Face model folders: `config.json`, safetensors files, `tokenizer.json`."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import ml_dtypes  # noqa: F401 (teaches numpy bfloat16, which safetensors asks for by name)
import numpy as np

from hipport.errors import HipportError
from hipport.llm.model.config import ModelConfig, read_config, read_json
from hipport.llm.text.tokenizer import Text, read_tokenizer
from hipport.llm.weights.formats import Weights
from hipport.llm.weights.native import Native
from hipport.llm.weights.quantization import Floats
from hipport.llm.weights.tensors import Part, check_shapes, parts_of

_INDEX, _WHOLE = "model.safetensors.index.json", "model.safetensors"
_FLOATS = frozenset({"F64", "F32", "F16", "BF16"})
_NOT_WEIGHTS = ("rotary_emb.inv_freq", "lm_head.weight")
"""Tensors to ignore: older files contain RoPE's frequencies, and the output head even if it is the embedding."""


class Folder:
    """An open folder whose tensor shapes and file sizes have been checked: only the values can still be invalid."""

    preferred: Weights = "q4f16_32"

    def __init__(self, folder: Path, stack: contextlib.ExitStack) -> None:
        self.path = folder
        self.config: ModelConfig = read_config(folder)
        self._shards = shards(folder)
        self._tensors = _tensors(self._shards, stack)
        self._check()

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that the weights depend on."""
        return (self.path / "config.json", *self._shards)

    def text(self) -> Text:
        """Return the model's tokenizer. Raises `HipportError`."""
        return read_tokenizer(self.path)

    def read(self, part: Part) -> Floats:
        return np.asarray(self._tensors[part.name].get_tensor(part.name))

    def native_format(self, part: Part) -> tuple[str, int] | None:
        """Return None: the folder has 16-bit or larger weights."""
        return None

    def read_native(self, part: Part) -> Native:
        raise HipportError(f"{part.name} is not quantized")

    def notes(self, weights: Weights) -> tuple[str, ...]:
        """Return remarks for the user on how the weights are converted: none."""
        return ()

    def _check(self) -> None:
        slices = {name: shard.get_slice(name) for name, shard in self._tensors.items()}
        expected = {part.name: part.shape for part in parts_of(self.config)}
        found = {name: tuple(tensor.get_shape()) for name, tensor in slices.items() if not _passed_over(name, expected)}
        check_shapes(self.path, "config.json", expected, found)
        for name in expected:
            if (kind := slices[name].get_dtype()) not in _FLOATS:
                hint = f"Supported types: {', '.join(sorted(_FLOATS))}."
                raise HipportError(f"{self.path}: {name} is of type {kind}", hint=hint)


def _passed_over(name: str, expected: dict[str, tuple[int, ...]]) -> bool:
    return name not in expected and name.endswith(_NOT_WEIGHTS)


def shards(folder: Path) -> tuple[Path, ...]:
    """Return the files that contain the weights. Raises `HipportError` if one is missing."""
    index = folder / _INDEX
    names = {_WHOLE}
    if index.is_file():
        told = read_json(index).get("weight_map")
        names = set(told.values()) if isinstance(told, dict) and told else set()
    if not names or not all(isinstance(name, str) and name == Path(name).name for name in names):
        raise HipportError(f"{index} does not map tensors to files of its folder")
    for name in sorted(names):
        if not (folder / name).is_file():
            hint = (
                "Is the download complete?" if name != _WHOLE else "Weights are read from safetensors and GGUF files."
            )
            raise HipportError(f"{folder / name} is missing", hint=hint)
    return tuple(folder / name for name in sorted(names))


def _tensors(files: tuple[Path, ...], stack: contextlib.ExitStack) -> dict[str, Any]:
    """Return the open file of each tensor by name. Opening checks that a file is as long as its header says."""
    from safetensors import SafetensorError, safe_open

    found: dict[str, Any] = {}
    for path in files:
        try:
            shard = stack.enter_context(safe_open(path, "numpy"))
        except (SafetensorError, OSError) as error:
            raise HipportError(f"{path} is damaged: {error}", hint="Is the download complete?") from None
        found.update(dict.fromkeys(shard.keys(), shard))
    return found
