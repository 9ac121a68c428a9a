"""Compare arrays of numbers; the only module outside `llm/` that needs numpy (extra `verify`)."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

from hipport.errors import HipportError
from hipport.verify.content import compare_bytes
from hipport.verify.model import Comparison, Difference, Tolerance
from hipport.verify.text import SHOWN, described_error

try:
    import numpy as np
except ImportError:
    raise HipportError(
        "comparing arrays needs numpy", hint="pip install 'hipport[verify]', or pip install numpy"
    ) from None

Array = Any
"""A numpy array; numpy's typing support needs a newer Python than this package does."""

TYPES = {
    **{f"i{8 * size}": f"<i{size}" for size in (1, 2, 4, 8)},
    **{f"u{8 * size}": f"<u{size}" for size in (1, 2, 4, 8)},
    **{f"f{8 * size}": f"<f{size}" for size in (2, 4, 8)},
    "bf16": "<u2",
}
"""Element types by their names in options and tables; numpy has no bfloat16, which is the upper half of an f32."""

_SHORT = {"f16": 2**-10, "bf16": 2**-7}
"""One unit in the last place, relative to the number: the smallest meaningful tolerance for 16-bit types."""

_PIECE = 1 << 20
"""Number of elements compared at a time."""


def compare_npy(name: str, original: bytes, port: bytes, tolerance: Tolerance) -> Comparison:
    """Compare two .npy files as arrays; unreadable files and arrays of other types, such as objects, as bytes."""
    try:
        old, new = (np.load(io.BytesIO(data), allow_pickle=False) for data in (original, port))
    except (ValueError, EOFError, OSError, SyntaxError, TypeError, MemoryError, OverflowError):
        return compare_bytes(name, original, port, "not a valid .npy file")
    if old.dtype.kind not in "biufc" or new.dtype.kind not in "biufc":
        return compare_bytes(name, original, port, f"elements of type {old.dtype}")
    kinds = (str(old.dtype), old.shape), (str(new.dtype), new.shape)
    if kinds[0] != kinds[1]:
        shown = [f"{dtype} {shape}" for dtype, shape in kinds]
        return Comparison(name, "array", (Difference("header", *shown),), 1)
    element = "f16" if old.dtype == np.float16 else ""
    return _compare(name, f"array of {old.dtype}", old, new, _attainable(tolerance, element))


def compare_raw(name: str, original: bytes, port: bytes, element: str, tolerance: Tolerance) -> Comparison:
    """Compare raw numbers of a type in `TYPES`."""
    if len(original) != len(port):
        sizes = [f"{len(data):,} bytes" for data in (original, port)]
        return Comparison(name, element, (Difference("size", *sizes),), 1)
    whole = len(original) // np.dtype(TYPES[element]).itemsize * np.dtype(TYPES[element]).itemsize
    if original[whole:] != port[whole:]:
        ends = [data[whole:].hex() for data in (original, port)]
        return Comparison(name, element, (Difference("bytes after the last element", *ends),), 1)
    old, new = (_decode(data[:whole], element) for data in (original, port))
    return _compare(name, element, old, new, _attainable(tolerance, element))


def _attainable(tolerance: Tolerance, element: str) -> Tolerance:
    """Raise a nonzero tolerance to the precision of 16-bit numbers."""
    if tolerance.relative == 0:
        return tolerance
    return replace(tolerance, relative=max(tolerance.relative, _SHORT.get(element, 0)))


def _decode(data: bytes, element: str) -> Array:
    numbers = np.frombuffer(data, dtype=TYPES[element])
    return (numbers.astype("<u4") << 16).view("<f4") if element == "bf16" else numbers


def _compare(name: str, how: str, original: Array, port: Array, tolerance: Tolerance) -> Comparison:
    old, new = original.reshape(-1), port.reshape(-1)
    places: list[int] = []
    count, worst = 0, None
    for start in range(0, len(old), _PIECE):
        a, b = old[start : start + _PIECE], new[start : start + _PIECE]
        different, error = _differs(a, b, tolerance)
        indices = np.flatnonzero(different)
        count += len(indices)
        places += [start + int(index) for index in indices[: SHOWN - len(places)]]
        worst = error if worst is None else max(worst, error)
    return Comparison(name, how, tuple(_difference(original.shape, i, old[i], new[i]) for i in places), count, worst)


def _differs(a: Array, b: Array, tolerance: Tolerance) -> tuple[Array, float]:
    """Return a mask of the elements that differ, and the largest absolute error of the finite ones."""
    if a.dtype.kind in "biu":  # counts and indices have no rounding errors
        return a != b, float(np.max(np.abs(a.astype("f8") - b.astype("f8")), initial=0))
    wide = "c16" if a.dtype.kind == "c" else "f8"
    a, b = a.astype(wide), b.astype(wide)
    with np.errstate(all="ignore"):
        error = np.abs(a - b)
        limit = np.maximum(tolerance.absolute, tolerance.relative * np.maximum(np.abs(a), np.abs(b)))
        finite = np.isfinite(a) & np.isfinite(b)
        same = np.where(finite, error <= limit, (a == b) | (np.isnan(a) & np.isnan(b)))
    return ~same, float(np.max(error[finite], initial=0))


def _difference(shape: tuple[int, ...], flat: int, original: Any, port: Any) -> Difference:
    index = ", ".join(str(int(i)) for i in np.unravel_index(flat, shape)) if shape else "0"
    detail = described_error(float(original), float(port)) if not isinstance(original, np.complexfloating) else ""
    return Difference(f"[{index}]", str(original), str(port), detail)
