"""Reads the weights of a Hugging Face folder: checked first, then one tensor at a time, quantised and packed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import ml_dtypes  # noqa: F401 (teaches numpy bfloat16, which safetensors asks for by name)
import numpy as np

from hipport.errors import HipportError
from hipport.llm.config import ModelConfig, read_config, read_json
from hipport.llm.pack import pack
from hipport.llm.plan import Array, Part, Wanted, row_order, wanted

_INDEX, _WHOLE = "model.safetensors.index.json", "model.safetensors"
_FLOATS = frozenset({"F64", "F32", "F16", "BF16"})
_NOT_WEIGHTS = ("rotary_emb.inv_freq", "lm_head.weight")
"""Tensors that may be there besides: older files keep RoPE's frequencies, and the head where it is the embedding."""


class Checkpoint:
    """An open folder. All shapes are right, and the files whole: what is left to go wrong are the numbers."""

    def __init__(self, folder: Path, stack: contextlib.ExitStack) -> None:
        self.folder = folder
        self.config: ModelConfig = read_config(folder)
        self.files = shards(folder)
        self._tensors = _tensors(self.files, stack)
        _check(folder, self.config, self._tensors)

    def tensors(self) -> Iterator[tuple[Wanted, Array]]:
        """The engine's tensors, layer by layer. Holds one at a time. Raises `HipportError` for weights out of range."""
        return ((tensor, self.make(tensor)) for tensor in wanted(self.config))

    def make(self, tensor: Wanted) -> Array:
        """One of the engine's tensors. Raises `HipportError` for weights out of range."""
        try:
            return self._made(tensor)
        except HipportError as error:
            raise HipportError(f"{self.folder}: {' and '.join(part.name for part in tensor.parts)}: {error}") from None

    def _made(self, tensor: Wanted) -> Array:
        parts = [self._read(part) for part in tensor.parts]
        matrix = parts[0] if len(parts) == 1 else np.concatenate(parts)
        order = row_order(self.config, tensor)
        if tensor.packed:
            return pack(matrix, order)
        return _half(matrix if order is None else matrix[order])

    def _read(self, part: Part) -> Array:
        return np.asarray(self._tensors[part.name].get_tensor(part.name))


@contextlib.contextmanager
def open_checkpoint(folder: Path) -> Iterator[Checkpoint]:
    """Open a model's folder. Raises `HipportError` for what is missing, broken or of another shape than it must be."""
    with contextlib.ExitStack() as stack:
        yield Checkpoint(folder, stack)


def shards(folder: Path) -> tuple[Path, ...]:
    """The files with the weights. Raises `HipportError` where one is missing."""
    index = folder / _INDEX
    names = {_WHOLE}
    if index.is_file():
        told = read_json(index).get("weight_map")
        names = set(told.values()) if isinstance(told, dict) and told else set()
    if not names or not all(isinstance(name, str) and name == Path(name).name for name in names):
        raise HipportError(f"{index} does not say in which files of its folder the tensors are")
    for name in sorted(names):
        if not (folder / name).is_file():
            hint = (
                "Only safetensors files are read; GGUF files are not yet."
                if name == _WHOLE
                else "Is the download whole?"
            )
            raise HipportError(f"{folder / name} is missing", hint=hint)
    return tuple(folder / name for name in sorted(names))


def _tensors(files: tuple[Path, ...], stack: contextlib.ExitStack) -> dict[str, Any]:
    """By the names of tensors the open file that has them. Opening checks that a file is as long as its header says."""
    from safetensors import SafetensorError, safe_open

    found: dict[str, Any] = {}
    for path in files:
        try:
            shard = stack.enter_context(safe_open(path, "numpy"))
        except (SafetensorError, OSError) as error:
            raise HipportError(f"{path} is broken: {error}", hint="Is the download whole?") from None
        found.update(dict.fromkeys(shard.keys(), shard))
    return found


def _check(folder: Path, config: ModelConfig, tensors: Mapping[str, Any]) -> None:
    parts = {part.name: part for tensor in wanted(config) for part in tensor.parts}
    for part in parts.values():
        if part.name not in tensors:
            raise HipportError(f"{folder} lacks the tensor {part.name}", hint="Is the download whole?")
        _check_part(folder, part, tensors[part.name].get_slice(part.name))
    for name in tensors:
        if name not in parts and not name.endswith(_NOT_WEIGHTS):
            raise HipportError(
                f"{folder} has a tensor {name}, for which its architecture has no place",
                hint="Is config.json the model's own?",
            )


def _check_part(folder: Path, part: Part, found: Any) -> None:
    if tuple(found.get_shape()) != part.shape:
        raise HipportError(
            f"{folder}: {part.name} has the shape {found.get_shape()}, but config.json makes it {list(part.shape)}"
        )
    if found.get_dtype() not in _FLOATS:
        raise HipportError(
            f"{folder}: {part.name} is of type {found.get_dtype()}",
            hint=f"Weights are of {', '.join(sorted(_FLOATS))}.",
        )


def _half(values: Array) -> Array:
    with np.errstate(over="ignore"):
        half = values.astype(np.float16)
    if not np.isfinite(half).all():
        raise HipportError("values that are not finite, or too large for half precision")
    return half
