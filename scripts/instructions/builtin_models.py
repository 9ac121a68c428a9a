"""Results of clang's builtin functions for AMD GPUs, by numpy: for each lane from the arguments of all lanes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
_U32, _U64 = np.uint32, np.uint64
_LANES_OF_HALF = 32


@dataclass(frozen=True)
class Model:
    """`compute` returns the result of each lane; numbers may differ from it by `tolerance`, relatively."""

    compute: Callable[[Sequence[Array]], Array]
    tolerance: float = 0.0


def _wide(high: Array, low: Array) -> Array:
    return high.astype(_U64) << _U64(32) | low.astype(_U64)


def _shifted(a: Array, b: Array, count: Array) -> Array:
    return (_wide(a, b) >> count.astype(_U64)).astype(_U32)


def _bytes(words: Array, width: int = 8, signed: bool = False) -> NDArray[np.int64]:
    """Return the parts of 32-bit words, a column for each, the lowest first."""
    shifts: NDArray[np.int64] = np.arange(0, 32, width, dtype=np.int64)
    parts = words.view(_U32).astype(np.int64)[:, None] >> shifts & (1 << width) - 1
    return np.where(parts >> width - 1 & 1, parts - (1 << width), parts) if signed else parts


def _joined(parts: Array) -> Array:
    shifts: NDArray[np.int64] = np.arange(0, 32, 8, dtype=np.int64)
    return (parts.astype(np.int64) << shifts).sum(axis=1).astype(_U32)


def _field(a: Array, first: Array, width: Array, signed: bool) -> Array:
    words = a.view(np.int32) if signed else a
    values, first, width = (one.astype(np.int64) for one in (words, first & 31, width & 31))
    found = values >> first & (np.int64(1) << width) - 1
    sign = (width > 0) & (found >> np.maximum(width - 1, 0) & 1 == 1)
    return (np.where(sign, found - (np.int64(1) << width), found) if signed else found).astype(
        np.int32 if signed else _U32
    )


def _permuted(a: Array, b: Array, selectors: Array) -> Array:
    source = np.concatenate([_bytes(b), _bytes(a)], axis=1)
    chosen = _bytes(selectors)
    found = np.take_along_axis(source, chosen & 7, axis=1)
    signs = np.take_along_axis(source, (chosen & 3) * 2 + 1, axis=1) >> 7 & 1
    found = np.where(chosen >= 8, signs * 255, found)
    return _joined(np.where(chosen == 12, 0, np.where(chosen >= 13, 255, found)))


def _differences(a: Array, b: Array, c: Array, width: int = 8, masked: bool = False, shift: int = 0) -> Array:
    first, second = _bytes(a, width), _bytes(b, width)
    parts = np.abs(first - second)
    total = np.where(second != 0, parts, 0).sum(axis=1) if masked else parts.sum(axis=1)
    return (c.astype(np.int64) + (total << shift)).astype(_U32)


def _dot(args: Sequence[Array], width: int, signed: bool) -> Array:
    if args[0].ndim == 2:  # halves as a vector
        products = args[0].astype(np.int64) * args[1].astype(np.int64)
    else:
        products = _bytes(args[0], width, signed) * _bytes(args[1], width, signed)
    return (products.sum(axis=1) + args[2].astype(np.int64)).astype(np.int32 if signed else _U32)


def _count_below(mask: Array, base: Array, first: int) -> Array:
    """Add how many lanes from `first` on, before this one, have a bit."""
    lanes = np.clip(np.arange(len(mask)) - first, 0, _LANES_OF_HALF).astype(_U64)
    below = mask.astype(_U64) & (_U64(1) << lanes) - _U64(1)
    return (base + np.array([int(one).bit_count() for one in below], _U32)).astype(_U32)


def _ballot(args: Sequence[Array], kind: Any) -> Array:
    return np.full(len(args[0]), sum(1 << i for i, one in enumerate(args[0]) if one), kind)


def _pushed(args: Sequence[Array]) -> Array:
    found = np.zeros_like(args[1])
    for to, value in zip((args[0].view(_U32) >> 2) % len(found), args[1], strict=True):
        found[to] = value
    return found


def _leading(args: Sequence[Array]) -> Array:
    """Count the bits before the first one that is not the sign; -1 if there is none."""
    found = []
    for one in args[0].astype(np.int64):
        rest = int(one if one >= 0 else ~one) & 0x7FFFFFFF
        found.append(32 - rest.bit_length() if rest else -1)
    return np.array(found, np.int32)


def _class(args: Sequence[Array]) -> Array:
    value, mask = args
    negative, least = np.signbit(value), np.finfo(value.dtype).tiny
    bits = value.view({2: np.uint16, 4: _U32, 8: _U64}[value.dtype.itemsize])
    quiet = bits >> np.array(np.finfo(value.dtype).nmant - 1, bits.dtype) & np.array(1, bits.dtype)
    size = np.abs(value)
    kind = np.where(np.isinf(value), 0, np.where(size >= least, 1, np.where(size > 0, 2, 3)))
    number = np.where(np.isnan(value), np.where(quiet == 1, 1, 0), np.where(negative, 2 + kind, 9 - kind))
    return mask.astype(np.int64) >> number & 1 == 1


def _scaled(args: Sequence[Array]) -> Array:
    # Of the exponent for a half, the instruction reads 16 bits.
    by = args[1].astype(np.int16) if args[0].itemsize == 2 else args[1]
    with np.errstate(over="ignore", under="ignore"):
        return np.ldexp(args[0], np.clip(by.astype(np.int32), -5000, 5000))


def _fraction(args: Sequence[Array]) -> Array:
    (value,) = args
    with np.errstate(invalid="ignore"):
        return np.minimum(value - np.floor(value), np.nextafter(np.ones(1, value.dtype), np.zeros(1, value.dtype)))


def _exponent(args: Sequence[Array]) -> Array:
    return np.where(np.isfinite(args[0]), np.frexp(args[0])[1], 0).astype(
        np.int16 if args[0].itemsize == 2 else np.int32
    )


def _cube(args: Sequence[Array]) -> tuple[Array, Array, Array, Array]:
    """Return the face of a cube map that a direction meets, both coordinates there, and twice the longest part."""
    x, y, z = args
    ax, ay, az = (np.abs(one) for one in args)
    on_z, on_y = (az >= ax) & (az >= ay), ay >= ax
    major = np.where(on_z, z, np.where(on_y, y, x))
    below = major < 0
    face = np.where(on_z, 4, np.where(on_y, 2, 0)) + below
    across = np.where(on_z, np.where(below, -x, x), np.where(on_y, x, np.where(below, z, -z)))
    down = np.where(on_z | ~on_y, -y, np.where(below, -z, z))
    return face.astype(np.float32), across, down, np.float32(2) * major


def _toward_zero(value: Array) -> Array:
    near = value.astype(np.float16)
    too_large = np.abs(near.astype(np.float64)) > np.abs(value.astype(np.float64))
    return np.where(too_large & np.isfinite(value), np.nextafter(near, np.float16(0)), near)


def _halves(low: Array, high: Array) -> Array:
    return np.stack([low, high], axis=1)


def _saturated(args: Sequence[Array], kind: Any) -> Array:
    bounds = np.iinfo(kind)
    return _halves(*(np.clip(one.astype(np.int64), bounds.min, bounds.max).astype(kind) for one in args))


def _doubled(args: Sequence[Array]) -> Array:
    first = int(args[0].view(_U32)[0])  # a scalar operation
    return np.full(len(args[0]), sum((first >> i & 1) * (3 << 2 * i) for i in range(32)), _U64)


def _small(kind: Any) -> Callable[[Sequence[Array]], Array]:
    return lambda args: (args[0].view(_U32) & 0xFF).astype(np.uint8).view(kind).astype(np.float32)


def _small_pair(kind: Any) -> Callable[[Sequence[Array]], Array]:
    return lambda args: _bytes(args[0])[:, :2].astype(np.uint8).view(kind).astype(np.float32)


_INEXACT = 2e-6
_TURN = 2 * np.pi


def _common() -> dict[str, Model]:
    models: dict[str, Callable[[Sequence[Array]], Array]] = {
        "alignbit": lambda a: _shifted(a[0], a[1], a[2] & 31),
        "alignbyte": lambda a: _shifted(a[0], a[1], (a[2] & 3) * 8),
        "ubfe": lambda a: _field(a[0], a[1], a[2], False),
        "sbfe": lambda a: _field(a[0], a[1], a[2], True),
        "lerp": lambda a: _joined((_bytes(a[0]) + _bytes(a[1]) + (_bytes(a[2]) & 1)) >> 1),
        "perm": lambda a: _permuted(*a),
        "sad_u8": lambda a: _differences(*a),
        "sad_hi_u8": lambda a: _differences(a[0], a[1], a[2], shift=16),
        "sad_u16": lambda a: _differences(a[0], a[1], a[2], width=16),
        "msad_u8": lambda a: _differences(a[0], a[1], a[2], masked=True),
        "sdot2": lambda a: _dot(a, 16, True),
        "udot2": lambda a: _dot(a, 16, False),
        "sdot4": lambda a: _dot(a, 8, True),
        "udot4": lambda a: _dot(a, 8, False),
        "sdot8": lambda a: _dot(a, 4, True),
        "udot8": lambda a: _dot(a, 4, False),
        "mbcnt_lo": lambda a: _count_below(a[0], a[1], 0),
        "mbcnt_hi": lambda a: _count_below(a[0], a[1], _LANES_OF_HALF),
        "ballot_w32": lambda a: _ballot(a, _U32),
        "ballot_w64": lambda a: _ballot(a, _U64),
        "readfirstlane": lambda a: np.full_like(a[0], a[0][0]),
        "readlane": lambda a: np.full_like(a[0], a[0][int(a[1].view(_U32)[0]) % len(a[0])]),
        "ds_bpermute": lambda a: a[1][(a[0].view(_U32) >> 2) % len(a[1])],
        "ds_permute": _pushed,
        "ds_swizzle": lambda a: a[0][np.arange(len(a[0])) & ~31],  # its constant is 0: the first lane of 32
        "sffbh": _leading,
        "class": _class,
        "classf": _class,
        "classh": _class,
        "fract": _fraction,
        "fractf": _fraction,
        "fracth": _fraction,
        "frexp_exp": _exponent,
        "frexp_expf": _exponent,
        "frexp_exph": _exponent,
        "cubeid": lambda a: _cube(a)[0],
        "cubesc": lambda a: _cube(a)[1],
        "cubetc": lambda a: _cube(a)[2],
        "cubema": lambda a: _cube(a)[3],
        "cvt_pkrtz": lambda a: _halves(_toward_zero(a[0]), _toward_zero(a[1])),
        "cvt_pk_i16": lambda a: _saturated(a, np.int16),
        "cvt_pk_u16": lambda a: _saturated(a, np.uint16),
        "s_bitreplicate": _doubled,
        "permlane64": lambda a: np.roll(a[0], 32) if len(a[0]) > _LANES_OF_HALF else a[0],
    }
    for end in ("", "f", "h"):
        models[f"ldexp{end}"] = _scaled
        models[f"frexp_mant{end}"] = lambda a: np.where(np.isfinite(a[0]), np.frexp(a[0])[0], a[0])
        models[f"fmed3{end}"] = lambda a: np.sort(np.stack(a), axis=0)[1]
    return {name: Model(compute) for name, compute in models.items()}


def _functions() -> dict[str, Model]:
    """Return the models of functions that hardware approximates; arguments are small for them."""
    double: Mapping[str, Callable[[Array], Array]] = {
        "rcp": lambda x: 1 / x, "rsq": lambda x: 1 / np.sqrt(x), "sqrt": np.sqrt, "sin": lambda x: np.sin(_TURN * x),
        "cos": lambda x: np.cos(_TURN * x), "log": np.log2, "exp2": np.exp2,
    }  # fmt: skip

    def of(function: Callable[[Array], Array]) -> Callable[[Sequence[Array]], Array]:
        return lambda args: function(args[0].astype(np.float64)).astype(args[0].dtype)

    tolerances = {"": 1e-6, "f": _INEXACT, "h": 2e-3}
    return {f"{name}{end}": Model(of(one), tolerances[end]) for name, one in double.items() for end in tolerances}


def models(target: str) -> Mapping[str, Model]:
    """Return the models by the names of builtins without their prefix."""
    unsigned_zero = target in ("gfx940", "gfx941", "gfx942")
    fp8 = ml_dtypes.float8_e4m3fnuz if unsigned_zero else ml_dtypes.float8_e4m3fn
    bf8 = ml_dtypes.float8_e5m2fnuz if unsigned_zero else ml_dtypes.float8_e5m2
    small = {"fp8": fp8, "bf8": bf8}
    return {
        **_common(),
        **_functions(),
        **{f"cvt_f32_{name}": Model(_small(kind)) for name, kind in small.items()},
        **{f"cvt_pk_f32_{name}": Model(_small_pair(kind)) for name, kind in small.items()},
    }
