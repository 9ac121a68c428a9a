"""Quantized tensors of GGUF files in the engine's layout of the same format: the bits are moved, nothing is rounded.

The layouts of blocks are those of ggml-quants.h; the package gguf decodes them to the same weights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType
from gguf.constants import GGML_QUANT_SIZES

from hipport.llm.weights.native import Native, native, unpacked
from hipport.llm.weights.quantization import Bytes

Halves: TypeAlias = npt.NDArray[np.float16]
Read: TypeAlias = Callable[[Bytes], Native]


@dataclass(frozen=True, slots=True)
class Kind:
    """The storage of a GGUF type in the engine: its format, the columns that share a scale, and the conversion.

    `read` gets blocks [rows][blocks of a row][bytes].
    """

    format: str
    group: int
    read: Read


def native_kind(kind: GGMLQuantizationType) -> Kind | None:
    """Return how the engine stores tensors of a type, or None if it has no such format."""
    return _KINDS.get(kind.name)


def read_native(data: Bytes, kind: GGMLQuantizationType) -> Native:
    """Return a tensor [rows][bytes] of a type that `native_kind` knows."""
    own = native_kind(kind)
    assert own is not None
    return own.read(np.asarray(data).reshape(len(data), -1, GGML_QUANT_SIZES[kind][1]))


def _q4_0(blocks: Bytes) -> Native:
    return native("four", 32, _halves(blocks[..., 2:]), _half(blocks, 0))


def _q4_1(blocks: Bytes) -> Native:
    return native("four_min", 32, _halves(blocks[..., 4:]), _half(blocks, 0), _half(blocks, 2))


def _q5_0(blocks: Bytes) -> Native:
    return native("five", 32, _fives(blocks[..., 6:], blocks[..., 2:6]), _half(blocks, 0))


def _q5_1(blocks: Bytes) -> Native:
    return native("five_min", 32, _fives(blocks[..., 8:], blocks[..., 4:8]), _half(blocks, 0), _half(blocks, 2))


def _q8_0(blocks: Bytes) -> Native:
    return native("eight", 32, _flat(blocks[..., 2:]), _half(blocks, 0))


def _iq4_nl(blocks: Bytes) -> Native:
    return native("nonlinear", 32, _halves(blocks[..., 2:]), _half(blocks, 0))


def _mxfp4(blocks: Bytes) -> Native:
    return native("fp4_exponent", 32, _halves(blocks[..., 1:]), blocks[..., 0])


def _nvfp4(blocks: Bytes) -> Native:
    """Four scales of the type UE4M3, then four times 16 codes. Half of a scale is a half-precision number."""
    exponents, fractions = blocks[..., :4] >> 3 & 15, (blocks[..., :4] & 7).astype(np.float32)
    normal = np.ldexp(1 + fractions / 8, exponents.astype(np.int32) - 8)
    scales = np.where(exponents == 0, np.ldexp(fractions, -10), normal)
    scales = np.where(blocks[..., :4] == 0x7F, 0, scales)
    codes = _halves(blocks[..., 4:].reshape(*blocks.shape[:2], 4, 8))
    return native("fp4", 16, codes.reshape(len(blocks), -1), scales.reshape(len(blocks), -1))


def _tq2_0(blocks: Bytes) -> Native:
    """Two bits of 0, 1, 2 for -1, 0, 1; 256 weights share a scale."""
    codes = _bits(blocks[..., :64].reshape(*blocks.shape[:2], 2, 32), 2)
    return native("four", 256, _flat(codes + 7), _half(blocks, 64))


def _q2_k(blocks: Bytes) -> Native:
    codes = _bits(blocks[..., 16:80].reshape(*blocks.shape[:2], 2, 32), 2)
    scales, factors = blocks[..., :16], _half_list(blocks[..., 80:84])
    return native("four_factored_min", 16, _flat(codes), _flat(scales & 15), _flat(scales >> 4), factors)


def _q3_k(blocks: Bytes) -> Native:
    """The third bits come first: bit i of byte j is that of weight 32 i + j, and means that nothing is subtracted."""
    low = _bits(blocks[..., 32:96].reshape(*blocks.shape[:2], 2, 32), 2).reshape(*blocks.shape[:2], 256)
    high = _bits(blocks[..., None, :32], 1).reshape(*blocks.shape[:2], 256)
    packed = blocks[..., 96:108]
    lower = np.concatenate((packed[..., :8] & 15, packed[..., :8] >> 4), axis=-1)
    upper = np.concatenate([packed[..., 8:] >> shift & 3 for shift in (0, 2, 4, 6)], axis=-1)
    scales = (lower | upper << 4).astype(np.int8) - np.int8(32)
    return native("four_factored", 16, _flat(low + 4 + 4 * high), _flat(scales), factors=_half(blocks, 108))


def _q4_k(blocks: Bytes) -> Native:
    codes = _bits(blocks[..., 16:].reshape(*blocks.shape[:2], 4, 32), 4)
    return native("four_factored_min", 32, _flat(codes), *_six_bits(blocks[..., 4:16]), _half_list(blocks[..., :4]))


def _q5_k(blocks: Bytes) -> Native:
    low = _bits(blocks[..., 48:].reshape(*blocks.shape[:2], 4, 32), 4)
    high = _bits(blocks[..., None, 16:48], 1)
    codes = _flat(low) | _flat(high) << 4
    return native("five_factored_min", 32, codes, *_six_bits(blocks[..., 4:16]), _half_list(blocks[..., :4]))


def _q6_k(blocks: Bytes) -> Native:
    low = _bits(blocks[..., :128].reshape(*blocks.shape[:2], 2, 64), 4)
    high = _bits(blocks[..., 128:192].reshape(*blocks.shape[:2], 2, 32), 2)
    codes = _flat(low) | _flat(high) << 4
    scales = np.ascontiguousarray(blocks[..., 192:208]).view(np.int8)
    return native("six_factored", 16, codes, _flat(scales), factors=_half(blocks, 208))


def _iq4_xs(blocks: Bytes) -> Native:
    high = np.ascontiguousarray(blocks[..., 2:4]).view(np.uint16)
    upper = (high >> np.arange(0, 16, 2, dtype=np.uint16)).astype(np.uint8) & 3
    lower = unpacked(blocks[..., 4:8].reshape(-1, 4), 4).reshape(*blocks.shape[:2], 8)
    scales = (lower | upper << 4).astype(np.int8) - np.int8(32)
    codes = _bits(blocks[..., 8:].reshape(*blocks.shape[:2], 8, 16), 4)
    return native("nonlinear_factored", 32, _flat(codes), _flat(scales), factors=_half(blocks, 0))


def _flat(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return [rows][values of a row]."""
    return values.reshape(len(values), -1)


def _bits(data: Bytes, bits: int) -> Bytes:
    """Return numbers of some bits: for each run of bytes [..., run] first the lowest bits of all, then the next."""
    shifts: Bytes = np.arange(0, 8, bits, dtype=np.uint8)
    found: Bytes = data[..., None, :] >> shifts[:, None] & np.uint8((1 << bits) - 1)
    return found


def _halves(data: Bytes) -> Bytes:
    """Return the numbers of blocks whose low bits have the first half of them."""
    found: Bytes = _bits(data, 4)
    return found.reshape(len(data), -1)


def _fives(low: Bytes, high: Bytes) -> Bytes:
    return _halves(low) | unpacked(_flat(high).view(np.uint8), 1) << 4


def _half(blocks: Bytes, at: int) -> Halves:
    """Return the half-precision number at an offset of each block."""
    return np.ascontiguousarray(blocks[..., at : at + 2]).view(np.float16)[..., 0]


def _half_list(data: Bytes) -> Halves:
    return np.ascontiguousarray(data).view(np.float16)


def _six_bits(data: Bytes) -> tuple[Bytes, Bytes]:
    """Return eight scales and eight minimums of six bits from the 12 bytes of Q4_K and Q5_K."""
    first, second, third = data[..., :4], data[..., 4:8], data[..., 8:]
    scales = np.concatenate((first & 63, third & 15 | first >> 2 & 48), axis=-1)
    minimums = np.concatenate((second & 63, third >> 4 | second >> 2 & 48), axis=-1)
    return scales.reshape(len(data), -1), minimums.reshape(len(data), -1)


_KINDS: Mapping[str, Kind] = {
    "Q4_0": Kind("four", 32, _q4_0),
    "Q4_1": Kind("four_min", 32, _q4_1),
    "Q5_0": Kind("five", 32, _q5_0),
    "Q5_1": Kind("five_min", 32, _q5_1),
    "Q8_0": Kind("eight", 32, _q8_0),
    "Q2_K": Kind("four_factored_min", 16, _q2_k),
    "Q3_K": Kind("four_factored", 16, _q3_k),
    "Q4_K": Kind("four_factored_min", 32, _q4_k),
    "Q5_K": Kind("five_factored_min", 32, _q5_k),
    "Q6_K": Kind("six_factored", 16, _q6_k),
    "IQ4_NL": Kind("nonlinear", 32, _iq4_nl),
    "IQ4_XS": Kind("nonlinear_factored", 32, _iq4_xs),
    "MXFP4": Kind("fp4_exponent", 32, _mxfp4),
    "NVFP4": Kind("fp4", 16, _nvfp4),
    "TQ2_0": Kind("four", 256, _tq2_0),
}
"""By the names of the package gguf, of which older releases lack some."""
