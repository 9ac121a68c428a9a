"""Hugging Face model folders: `config.json`, safetensors files, `tokenizer.json`."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ml_dtypes  # teaches numpy bfloat16, which safetensors asks for by name
import numpy as np
import numpy.typing as npt

from hipport.counts import count_of
from hipport.errors import HipportError
from hipport.files.paths import is_possible
from hipport.llm.model.config import ModelConfig, read_config, read_json
from hipport.llm.sources.fused_experts import FusedExperts, Shapes
from hipport.llm.sources.prequantized import read_scheme
from hipport.llm.sources.safetensors_bytes import read_bytes
from hipport.llm.text.tokenizer import Text, read_tokenizer
from hipport.llm.weights.formats import Weights
from hipport.llm.weights.native import Native
from hipport.llm.weights.quantization import Floats
from hipport.llm.weights.tensors import Part, check_shapes, parts_of

_INDEX, _WHOLE = "model.safetensors.index.json", "model.safetensors"
_FLOATS = frozenset({"F64", "F32", "F16", "BF16"})
_FP8 = "F8_E4M3"
_QUANTIZED = frozenset({"I32", "U8", "F16", "BF16", "F32", _FP8})
_NOT_WEIGHTS = ("rotary_emb.inv_freq", "lm_head.weight")
"""Tensors to ignore: older files contain RoPE's frequencies, and the output head even if it is the embedding."""


class Folder:
    """An open folder whose tensor shapes and file sizes have been checked: only the values can still be invalid."""

    def __init__(self, folder: Path, stack: contextlib.ExitStack) -> None:
        self.path = folder
        self.config: ModelConfig = read_config(folder)
        self._scheme = read_scheme(folder / "config.json", read_json(folder / "config.json"))
        names = self.config.architecture.experts
        fused = self.config.experts if names and names.fused else None
        self._fused = FusedExperts(fused.count) if fused else None
        self._shards = shards(folder)
        self._tensors = _tensors(self._shards, stack)
        self._quantized = {part.name: found for part in parts_of(self.config) if (found := self._stored(part))}
        self._check()

    @property
    def preferred(self) -> Weights:
        """Weights that are quantized already are kept as they are."""
        return "native" if self._quantized else "q4f16_32"

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that the weights depend on."""
        return (self.path / "config.json", *self._shards)

    def text(self) -> Text:
        """Return the model's tokenizer. Raises `HipportError`."""
        return read_tokenizer(self.path)

    def read(self, part: Part) -> Floats:
        """Return one tensor of the model, decoded if it is quantized. Raises `HipportError`."""
        if part.name in self._quantized:
            return self.read_native(part).floats()
        if self._fused and self._fused.tensors(part):
            return self._fused.read(part, self._get)
        return self._get(part.name)

    def native_format(self, part: Part) -> tuple[str, int] | None:
        """Return the engine's format of a matrix, and the columns that share a scale; None if it is not quantized."""
        return self._scheme.format(part) if self._scheme and part.name in self._quantized else None

    def read_native(self, part: Part) -> Native:
        """Return a quantized matrix as it is. Raises `HipportError`."""
        assert self._scheme is not None
        return self._scheme.read(part, self._get, self._quantized[part.name])

    def notes(self, weights: Weights) -> tuple[str, ...]:
        """Return remarks for the user on how the weights are converted."""
        if not self._quantized or weights == "native":
            return ()
        return (f"converting {count_of(len(self._quantized), 'matrix', 'matrices')} that are quantized already",)

    def _stored(self, part: Part) -> Shapes | None:
        return self._scheme.tensors(part, self._tensors) if self._scheme and len(part.shape) == 2 else None

    def _own(self, part: Part) -> Shapes:
        """Return the tensor that has a part that is not quantized."""
        return (self._fused and self._fused.tensors(part)) or {part.name: part.shape}

    def _get(self, name: str, first: int | None = None) -> npt.NDArray[Any]:
        path, shard = self._tensors[name]
        found = shard.get_slice(name)
        if first is not None:
            return np.asarray(found[first])
        if found.get_dtype() == _FP8:
            return read_bytes(path, name, tuple(found.get_shape()), np.dtype(ml_dtypes.float8_e4m3fn))
        return np.asarray(shard.get_tensor(name))

    def _check(self) -> None:
        slices = {name: shard.get_slice(name) for name, (_, shard) in self._tensors.items()}
        expected: dict[str, tuple[int, ...]] = {}
        allowed: dict[str, frozenset[str]] = {}
        for part in parts_of(self.config):
            quantized = self._quantized.get(part.name)
            own = quantized or self._own(part)
            expected |= own
            allowed |= dict.fromkeys(own, _QUANTIZED if quantized else _FLOATS)
        found = {
            name: tuple(tensor.get_shape()) for name, tensor in slices.items() if not self._ignored(name, expected)
        }
        check_shapes(self.path, "config.json", expected, found)
        for name in expected:
            if (kind := slices[name].get_dtype()) not in allowed[name]:
                hint = f"Supported types: {', '.join(sorted(allowed[name]))}."
                raise HipportError(f"{self.path}: {name} is of type {kind}", hint=hint)

    def _ignored(self, name: str, expected: Mapping[str, Any]) -> bool:
        """Return whether a tensor may be there that is not expected: some scales, and biases of zeros, as of GPTQ."""
        if name in expected:
            return False
        if name.endswith(_NOT_WEIGHTS) or self._is_unused(name):
            return True
        return bool(self._quantized) and (
            name.endswith((".weight_scale", ".input_scale")) or (name.endswith(".bias") and not self._get(name).any())
        )

    def _is_unused(self, name: str) -> bool:
        """Return whether a tensor belongs to a layer behind the model's, which only predicts further tokens."""
        found, layers = re.match(r"model\.layers\.(\d{1,4})\.", name), self.config.layers
        return found is not None and 0 <= int(found[1]) - layers < self.config.unused_layers


def shards(folder: Path) -> tuple[Path, ...]:
    """Return the files that contain the weights. Raises `HipportError` if one is missing."""
    index = folder / _INDEX
    told = read_json(index).get("weight_map") if index.is_file() else {"": _WHOLE}
    if not isinstance(told, dict) or not told or not all(map(_is_name, told.values())):
        raise HipportError(f"{index} does not map tensors to files of its folder")
    names = set(told.values())
    for name in sorted(names):
        if not (folder / name).is_file():
            hint = (
                "Is the download complete?" if name != _WHOLE else "Weights are read from safetensors and GGUF files."
            )
            raise HipportError(f"{folder / name} is missing", hint=hint)
    return tuple(folder / name for name in sorted(names))


def _is_name(value: object) -> bool:
    return isinstance(value, str) and is_possible(value) and value == Path(value).name


def _tensors(files: tuple[Path, ...], stack: contextlib.ExitStack) -> dict[str, tuple[Path, Any]]:
    """Return the path and the open file of each tensor. Opening checks that a file is as long as its header says."""
    from safetensors import SafetensorError, safe_open

    found: dict[str, tuple[Path, Any]] = {}
    for path in files:
        try:
            shard = stack.enter_context(safe_open(path, "numpy"))
        except (SafetensorError, OSError) as error:
            raise HipportError(f"{path} is damaged: {error}", hint="Is the download complete?") from None
        found.update(dict.fromkeys(shard.keys(), (path, shard)))
    return found
