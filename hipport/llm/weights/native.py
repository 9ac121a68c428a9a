"""Matrices in the formats of model files, kept as they are: codes, and scales for groups of columns.

`kernels/native_formats.cuh` has the same formats by the same numbers. A weight is scale * code, less a minimum where a
format has minimums. Decoding rounds to float once; nothing else is rounded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hipport.errors import HipportError
from hipport.llm.weights.quantization import Bytes, Numbers

Array: TypeAlias = npt.NDArray[Any]
Floats32: TypeAlias = npt.NDArray[np.float32]

COLUMNS = 64
"""The number of columns is padded to a multiple of this."""
FACTORED = 256
"""Columns that share a factor of their scales."""
_ALIGNMENT = 128
_NUMBER: np.dtype[Any] = np.dtype(np.float16)
NONLINEAR = np.array([-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113], np.int8)
"""The values of llama.cpp's IQ4_NL and IQ4_XS."""
FP4 = np.array([0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12], np.int8)
"""Twice the values of FP4 (E2M1)."""


@dataclass(frozen=True, slots=True)
class Codes:
    """The storage of weights: `bits` in the first plane, `high` more in the second.

    The value of a code is its entry in `table`, or the code less `zero`. `kind`: what the bytes of larger codes are.
    """

    bits: int
    high: int = 0
    zero: int = 0
    table: tuple[int, ...] = ()
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Scales:
    """The data types of the planes of scales and of minimums (or zeros), and the factors of 256 columns, if any."""

    scale: str = ""
    minimum: str = ""
    factors: int = 0


@dataclass(frozen=True, slots=True)
class Format:
    """A format, with its number in the kernels."""

    name: str
    number: int
    codes: Codes
    scales: Scales


_FP8 = "float8_e4m3fn"
_HALF, _PAIRS, _ZEROS = Scales("f2"), Scales("f2", "f2"), Scales("f2", "u1")
_FACTORED, _FACTORED_PAIRS = Scales("i1", factors=1), Scales("u1", "u1", 2)
_EXPONENT, _FLOAT = Scales("u1"), Scales("f4")
_NONLINEAR, _FP4 = Codes(4, table=tuple(NONLINEAR.tolist())), Codes(4, table=tuple(FP4.tolist()))

FORMATS: Mapping[str, Format] = {
    name: Format(name, number, codes, scales)
    for number, (name, codes, scales) in enumerate(
        (
            ("sixteen", Codes(16, kind="number"), Scales()),
            ("four", Codes(4, zero=8), _HALF),
            ("four_min", Codes(4), _PAIRS),
            ("five", Codes(4, 1, zero=16), _HALF),
            ("five_min", Codes(4, 1), _PAIRS),
            ("eight", Codes(8, kind="i1"), _HALF),
            ("four_factored_min", Codes(4), _FACTORED_PAIRS),
            ("five_factored_min", Codes(4, 1), _FACTORED_PAIRS),
            ("six_factored", Codes(4, 2, zero=32), _FACTORED),
            ("four_factored", Codes(4, zero=8), _FACTORED),
            ("nonlinear", _NONLINEAR, _HALF),
            ("nonlinear_factored", _NONLINEAR, _FACTORED),
            ("fp4_exponent", _FP4, _EXPONENT),
            ("fp4", _FP4, _HALF),
            ("four_zero", Codes(4), _ZEROS),
            ("fp8", Codes(8, kind=_FP8), _FLOAT),
        )
    )
}


@dataclass(frozen=True, slots=True)
class Layout:
    """A format with the number of columns that share a scale, and the shape of a matrix."""

    format: Format
    group: int
    rows: int
    columns: int

    @property
    def planes(self) -> tuple[tuple[int, ...], ...]:
        """The shapes of the planes in bytes: codes, their upper bits, scales, minimums, factors."""
        codes, scales = self.format.codes, self.format.scales
        groups = self.columns // self.group
        widths = (
            self.columns * codes.bits // 8,
            self.columns * codes.high // 8,
            groups * _size(scales.scale),
            groups * _size(scales.minimum),
            self.columns // FACTORED * scales.factors * 2,
        )
        return tuple((self.rows, width) for width in widths)

    @property
    def bytes(self) -> int:
        """The size in the engine."""
        return sum(-(-rows * width // _ALIGNMENT) * _ALIGNMENT for rows, width in self.planes)


@dataclass(frozen=True, slots=True)
class Native:
    """A matrix in a format: planes of bytes [rows][bytes of a row], in the order of `Layout.planes`."""

    format: Format
    group: int
    columns: int
    planes: tuple[Bytes, ...]
    number: np.dtype[Any] = _NUMBER

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.planes[0]), self.columns

    @property
    def layout(self) -> Layout:
        return Layout(self.format, self.group, *self.shape)

    def rows(self, order: Numbers | slice) -> Native:
        """Return the matrix with some rows of this one."""
        return Native(self.format, self.group, self.columns, tuple(plane[order] for plane in self.planes), self.number)

    def padded(self, rows: int, columns: int) -> Native:
        """Return the matrix with rows and columns of zeros added."""
        layout = Layout(self.format, self.group, rows, columns)
        planes = []
        for plane, shape in zip(self.planes, layout.planes, strict=True):
            wide: Bytes = np.zeros(shape, np.uint8)
            wide[: plane.shape[0], : plane.shape[1]] = plane
            planes.append(wide)
        return Native(self.format, self.group, columns, tuple(planes), self.number)

    def check(self) -> None:
        """Raise `HipportError` for scales, minimums or codes that are not finite."""
        kinds = self.format.scales
        halves = ((self.planes[2], kinds.scale), (self.planes[3], kinds.minimum), (self.planes[4], "f2"))
        finite = all(np.isfinite(plane.view(kind)).all() for plane, kind in halves if kind in ("f2", "f4"))
        if not finite or (self.format.codes.kind == _FP8 and (self.planes[0] & 127 == 127).any()):
            raise HipportError("values that are not finite")

    def packed(self) -> Bytes:
        """Return the bytes that the engine loads."""
        whole: Bytes = np.zeros(self.layout.bytes, np.uint8)
        at = 0
        for plane in self.planes:
            whole[at : at + plane.size] = plane.reshape(-1)
            at += -(-plane.size // _ALIGNMENT) * _ALIGNMENT
        return whole

    def floats(self) -> Floats32:
        """Return the weights, as the kernels decode them."""
        codes = self._codes()
        scales, minimums = self._scales()
        groups = codes.reshape(len(codes), -1, self.group)
        if scales is not None:
            groups = groups * scales[..., None]
        if minimums is not None:
            groups = groups - minimums[..., None]
        return groups.reshape(codes.shape)

    def _codes(self) -> Floats32:
        codes = self.format.codes
        if codes.bits == 16:
            return self.planes[0].view(self.number).astype(np.float32)
        if codes.bits == 8:
            return self.planes[0].view(_type(codes.kind)).astype(np.float32)
        numbers = unpacked(self.planes[0], 4)
        if codes.high:
            numbers = numbers | unpacked(self.planes[1], codes.high) << 4
        if codes.table:
            return np.array(codes.table, np.float32)[numbers]
        return numbers.astype(np.float32) - np.float32(codes.zero)

    def _scales(self) -> tuple[Floats32 | None, Floats32 | None]:
        kinds, (_, _, scale, minimum, factor) = self.format.scales, self.planes
        if not kinds.scale:
            return None, None
        if self.format.name == "fp4_exponent":
            return e8m0_halves(scale), None
        scales = scale.view(kinds.scale).astype(np.float32)
        minimums = minimum.view(kinds.minimum).astype(np.float32) if kinds.minimum else None
        if kinds.factors:
            factors = factor.view(np.float16).astype(np.float32).reshape(len(factor), -1, kinds.factors)
            factors = np.repeat(factors, FACTORED // self.group, axis=1)
            scales = scales * factors[..., 0]
            return scales, None if minimums is None else minimums * factors[..., 1]
        if minimums is not None:
            minimums = scales * minimums if kinds is _ZEROS else -minimums
        return scales, minimums


def native(
    name: str,
    group: int,
    codes: Array,
    scales: Array | None = None,
    minimums: Array | None = None,
    factors: Array | None = None,
) -> Native:
    """Return a matrix from its codes [rows][columns], scales and minimums [rows][groups] and factors.

    Factors, where the format has them, are [rows][columns / 256], followed by [2] if minimums have some, too.
    """
    form = FORMATS[name]
    kinds = form.scales
    rows, columns = codes.shape
    if form.codes.bits == 4:
        planes = [packed(codes & 15, 4), packed(codes >> 4, form.codes.high) if form.codes.high else _none(rows)]
    else:
        planes = [_bytes(codes), _none(rows)]
    for values, kind in ((scales, kinds.scale), (minimums, kinds.minimum), (factors, "f2" if kinds.factors else "")):
        planes.append(_bytes(values.astype(kind).reshape(rows, -1)) if values is not None and kind else _none(rows))
    return Native(form, group, columns, tuple(planes), codes.dtype if form.codes.bits == 16 else _NUMBER)


def stacked(parts: Sequence[Native]) -> Native:
    """Return matrices of one format and width, one below the other."""
    first = parts[0]
    planes = tuple(np.concatenate(planes) for planes in zip(*(part.planes for part in parts), strict=True))
    return Native(first.format, first.group, first.columns, planes, first.number)


def packed(numbers: Bytes, bits: int) -> Bytes:
    """Pack numbers of 1, 2 or 4 bits into bytes, the first in the lowest bits."""
    each = 8 // bits
    parts = numbers.reshape(len(numbers), -1, each)
    found = parts[..., 0].copy()
    for i in range(1, each):
        found |= parts[..., i] << bits * i
    return found


def unpacked(data: Bytes, bits: int) -> Bytes:
    """Return the numbers of 1, 2 or 4 bits in bytes."""
    shifts: Bytes = np.arange(0, 8, bits, dtype=np.uint8)
    found: Bytes = data[..., None] >> shifts & np.uint8((1 << bits) - 1)
    return found.reshape(len(data), -1)


def e8m0_halves(exponents: Bytes) -> Floats32:
    """Return 2^(exponent - 128), half of what an exponent of the type E8M0 means."""
    wide = exponents.astype(np.uint32)
    bits = np.where(wide < 2, np.uint32(0x00200000) << wide, (wide - 1) << np.uint32(23))
    halves: Floats32 = bits.astype(np.uint32).view(np.float32)
    return halves


def _bytes(values: Array) -> Bytes:
    whole = np.ascontiguousarray(values)
    return whole.view(np.uint8).reshape(len(whole), -1)


def _none(rows: int) -> Bytes:
    return np.zeros((rows, 0), np.uint8)


def _size(kind: str) -> int:
    return np.dtype(kind).itemsize if kind else 0


def _type(name: str) -> np.dtype[Any]:
    if name.startswith("float8"):
        import ml_dtypes

        found: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
        return found
    return np.dtype(name)
