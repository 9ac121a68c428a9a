"""Folders whose weights are quantized already: AWQ, GPTQ and FP8, as `quantization_config` in `config.json` says.

A matrix is kept as it is (`weights/native.py`); matrices without quantized tensors are those of other folders.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from hipport.errors import HipportError
from hipport.llm.model.values import count
from hipport.llm.sources.fused_experts import Get, Mxfp4, Shapes
from hipport.llm.weights.native import Native, native
from hipport.llm.weights.quantization import Bytes
from hipport.llm.weights.tensors import Part

Array: TypeAlias = npt.NDArray[Any]

_LARGEST_GROUP = 128
_AWQ_ORDER = (0, 2, 4, 6, 1, 3, 5, 7)
"""The columns of the four-bit numbers in a word of AWQ, from the lowest bits on."""


class Scheme(Protocol):
    """The quantization of a folder's matrices."""

    def tensors(self, part: Part, names: Collection[str]) -> Shapes | None:
        """Return the tensors that a matrix consists of, of those in the folder; None if it is not quantized."""

    def format(self, part: Part) -> tuple[str, int]:
        """Return the engine's format of a matrix, and the columns that share a scale."""

    def read(self, part: Part, get: Get, names: Collection[str]) -> Native:
        """Return a matrix; `get` returns its tensors, `names`, by name. Raises `HipportError`."""


def read_scheme(path: Path, told: Mapping[str, Any]) -> Scheme | None:
    """Return the scheme in the contents of `config.json`, or None for weights that are not quantized.

    Raises `HipportError` for schemes that are not supported.
    """
    if "quantization_config" not in told:
        return None
    found = told["quantization_config"]
    try:
        if found["quant_method"] == "mxfp4":
            return _mxfp4(told)
        return _SCHEMES[found["quant_method"]](found)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        said = error if isinstance(error, ValueError) else "an unknown quant_method"
        raise HipportError(
            f"{path}: weights quantized with {said} are not supported",
            hint="Supported: AWQ and GPTQ (4 bits), FP8 (e4m3), gpt-oss's MXFP4; else use the model in 16 or 32 bits.",
        ) from None


@dataclass(frozen=True, slots=True)
class Words:
    """AWQ and GPTQ: four-bit numbers in words of 32 bits, a scale and a zero for each group of a row's columns.

    Tensors are transposed. `awq`: words hold eight rows, as they do for zeros, else eight columns. `added`: to zeros.
    `size`: the columns of a group, or -1 for all.
    """

    size: int
    awq: bool
    added: int

    def tensors(self, part: Part, names: Collection[str]) -> Shapes | None:
        """Return the tensors that a matrix consists of, of those in the folder; None if it is not quantized."""
        stem = _stem(part)
        if f"{stem}.qweight" not in names:
            return None
        (rows, columns), groups = part.shape, self._groups(part)
        found = {
            f"{stem}.qweight": (columns, rows // 8) if self.awq else (columns // 8, rows),
            f"{stem}.qzeros": (groups, rows // 8),
            f"{stem}.scales": (groups, rows),
        }
        return found | ({f"{stem}.g_idx": (columns,)} if f"{stem}.g_idx" in names else {})

    def format(self, part: Part) -> tuple[str, int]:
        """Return the engine's format of a matrix, and the columns that share a scale."""
        return "four_zero", math.gcd(part.shape[1] // self._groups(part), _LARGEST_GROUP)

    def read(self, part: Part, get: Get, names: Collection[str]) -> Native:
        """Return a matrix; `get` returns its tensors, `names`, by name. Raises `HipportError`."""
        stem = _stem(part)
        if f"{stem}.g_idx" in names:
            self._check_order(part, get(f"{stem}.g_idx"))
        name, group = self.format(part)
        groups = self._groups(part)
        weights, zeros, scales = (get(f"{stem}.{kind}") for kind in ("qweight", "qzeros", "scales"))
        halves = scales.astype(np.float16)
        if not (halves.astype(np.float32) == scales.astype(np.float32)).all():
            raise HipportError("scales that half precision cannot represent")
        if self.awq:
            codes = _from_words(weights, _AWQ_ORDER).T
            offsets = _from_words(zeros, _AWQ_ORDER)
        else:
            codes = _from_words(np.ascontiguousarray(weights.T), range(8))
            offsets = _from_words(zeros, range(8)) + np.uint8(self.added) & np.uint8(15)
        repeats = part.shape[1] // groups // group
        found = native(
            name,
            group,
            np.ascontiguousarray(codes),
            np.repeat(np.ascontiguousarray(halves.T), repeats, axis=1),
            np.repeat(np.ascontiguousarray(offsets.T), repeats, axis=1),
        )
        found.check()
        return found

    def _groups(self, part: Part) -> int:
        columns = part.shape[1]
        if self.size != -1 and columns % self.size:
            raise HipportError(f"{part.name}: {columns} columns are not a multiple of the group size {self.size}")
        return 1 if self.size == -1 else columns // self.size

    def _check_order(self, part: Part, order: Array) -> None:
        columns = part.shape[1]
        if not (order == np.arange(columns) // (columns if self.size == -1 else self.size)).all():
            raise HipportError("columns in the order of their activations (desc_act) are not supported")


@dataclass(frozen=True, slots=True)
class Fp8:
    """FP8 (e4m3): a float scale for a block of rows and columns, a row, or a tensor.

    `block`: rows and columns of a block, or none. `name`: of the tensor of scales.
    """

    block: tuple[int, int] | None
    name: str

    def tensors(self, part: Part, names: Collection[str]) -> Shapes | None:
        """Return the tensors that a matrix consists of, of those in the folder; None if it is not quantized."""
        scale = f"{_stem(part)}.{self.name}"
        if scale not in names:
            return None
        found: dict[str, tuple[int, ...]] = {part.name: part.shape}
        if self.block:
            blocks = zip(part.shape, self.block, strict=True)
            found[scale] = tuple(-(-size // block) for size, block in blocks)
        return found

    def format(self, part: Part) -> tuple[str, int]:
        """Return the engine's format of a matrix, and the columns that share a scale."""
        return "fp8", math.gcd(part.shape[1], self.block[1] if self.block else _LARGEST_GROUP, _LARGEST_GROUP)

    def read(self, part: Part, get: Get, names: Collection[str]) -> Native:
        """Return a matrix; `get` returns its tensors, `names`, by name. Raises `HipportError`."""
        name, group = self.format(part)
        rows, columns = part.shape
        scales = get(f"{_stem(part)}.{self.name}").astype(np.float32)
        if self.block:
            scales = scales[np.arange(rows) // self.block[0]]
            scales = scales[:, np.arange(0, columns, group) // self.block[1]]
        elif scales.size in (1, rows):
            scales = np.broadcast_to(scales.reshape(-1, 1), (rows, columns // group))
        else:
            raise HipportError(f"{scales.size} scales for {rows} rows")
        found = native(name, group, get(part.name), np.ascontiguousarray(scales))
        found.check()
        return found


def _stem(part: Part) -> str:
    return part.name.removesuffix(".weight")


def _from_words(words: Array, order: Collection[int]) -> Bytes:
    """Return the four-bit numbers of words of 32 bits; `order` has their places, from the lowest bits on."""
    whole = np.ascontiguousarray(words).view(np.uint32)
    found = np.empty((*whole.shape, 8), np.uint8)
    for i, place in enumerate(order):
        found[..., place] = whole >> np.uint32(4 * i) & np.uint32(15)
    return found.reshape(len(whole), -1)


def _awq(told: Mapping[str, Any]) -> Scheme:
    if told.get("bits", 4) != 4 or told.get("version", "gemm").lower() != "gemm" or not told.get("zero_point", True):
        raise ValueError("AWQ other than with 4 bits, zeros and the version gemm")
    return Words(_size(told), awq=True, added=0)


def _gptq(told: Mapping[str, Any]) -> Scheme:
    if told.get("bits") != 4:
        raise ValueError(f"GPTQ and {told.get('bits')} bits")
    return Words(_size(told), awq=False, added=0 if told.get("checkpoint_format") == "gptq_v2" else 1)


def _fp8(told: Mapping[str, Any]) -> Scheme:
    block = told.get("weight_block_size")
    if told.get("fmt", "e4m3") != "e4m3":
        raise ValueError(f"FP8 ({told['fmt']})")
    if block is None:
        return Fp8(None, "weight_scale")
    if not (
        isinstance(block, list) and len(block) == 2 and all(isinstance(n, int) and n >= 8 and n % 8 == 0 for n in block)
    ):
        raise ValueError(f"FP8 and blocks of {block}")
    return Fp8((block[0], block[1]), "weight_scale_inv")


def _compressed(told: Mapping[str, Any]) -> Scheme:
    if told.get("format") != "float-quantized":
        raise ValueError(f"compressed-tensors ({told.get('format')})")
    return Fp8(None, "weight_scale")


def _mxfp4(told: Mapping[str, Any]) -> Scheme:
    if told.get("model_type") != "gpt_oss":
        raise ValueError("MXFP4, except gpt-oss's,")
    return Mxfp4(count(told, "num_local_experts"))


def _size(told: Mapping[str, Any]) -> int:
    size = told.get("group_size", 128)
    if not isinstance(size, int) or not (size == -1 or (size >= 8 and size % 8 == 0)):
        raise ValueError(f"groups of {size}")
    return size


_SCHEMES: Mapping[str, Callable[[Mapping[str, Any]], Scheme]] = {
    "awq": _awq,
    "gptq": _gptq,
    "fp8": _fp8,
    "compressed-tensors": _compressed,
}
"""By `quant_method`."""
