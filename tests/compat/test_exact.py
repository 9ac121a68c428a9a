"""Directed rounding against exact fractions."""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

FORMATS = {"f": ("f", "I", ctypes.c_float), "d": ("d", "Q", ctypes.c_double)}


def word(value: float, kind: str) -> int:
    number, integer, _ = FORMATS[kind]
    return int(struct.unpack(integer, struct.pack(number, value))[0])


def number(bits: int, kind: str) -> float:
    form, integer, _ = FORMATS[kind]
    return float(struct.unpack(form, struct.pack(integer, bits))[0])


def floor(exact: Fraction, kind: str) -> float:
    """Return the largest finite number of the format, or minus infinity, that is not above a nonzero exact value."""
    infinite = word(math.inf, kind)
    sign = 1 << (31 if kind == "f" else 63)
    low, high = 0, infinite - 1  # words of the magnitudes, which are in the order of the values
    magnitude = abs(exact)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if Fraction(number(middle, kind)) <= magnitude else (low, middle - 1)
    if exact > 0:
        return number(low, kind)
    return number(sign | (low if Fraction(number(low, kind)) == magnitude else low + 1), kind)


def directed(exact: Fraction, mode: str, kind: str) -> float:
    down = mode == "rd" or (mode == "rz" and exact > 0)
    return floor(exact, kind) if down else -floor(-exact, kind)


def root(value: Fraction) -> Fraction:
    """Return the square root to about 200 bits; the last bit records whether it is inexact."""
    scaled = value.numerator * value.denominator << 2600
    down = math.isqrt(scaled)
    return (Fraction(down) + (Fraction(1, 4) if down * down != scaled else 0)) / (value.denominator << 1300)


OPERATIONS: dict[str, Callable[[Fraction, Fraction, Fraction], Fraction]] = {
    "add": lambda a, b, c: a + b,
    "sub": lambda a, b, c: a - b,
    "mul": lambda a, b, c: a * b,
    "div": lambda a, b, c: a / b,
    "fma": lambda a, b, c: a * b + c,
    "sqrt": lambda a, b, c: root(a),
}


def numbers(kind: str) -> st.SearchStrategy[float]:
    """A strategy for numbers: uniform bit patterns, and well-known special values."""
    bits = 32 if kind == "f" else 64
    ends = [word(x, kind) + d for x in (0.0, 1.0, math.inf, 2.0**-126, 2.0**-1022) for d in (-1, 0, 1)]
    signed = [(w | s) & (1 << bits) - 1 for w in ends if w >= 0 for s in (0, 1 << bits - 1)]
    patterns = st.one_of(st.integers(0, (1 << bits) - 1), st.sampled_from(signed))
    return st.one_of(patterns.map(lambda w: number(w, kind)), st.integers(-99, 99).map(float))


def operands(operation: str, *values: float) -> tuple[float, ...]:
    """Return the operands that an operation uses, of the three given."""
    return values[: {"sqrt": 1, "fma": 3}.get(operation, 2)]


def wanted(operation: str, mode: str, kind: str, a: float, b: float, c: float) -> float | None:
    """Return the expected result for finite numbers; None if IEEE 754 defines it without rounding."""
    if (
        not all(map(math.isfinite, operands(operation, a, b, c)))
        or (operation == "div" and b == 0)
        or (operation == "sqrt" and a < 0)
    ):
        return None
    used = [*map(Fraction, operands(operation, a, b, c)), Fraction(0), Fraction(0)]
    exact = OPERATIONS[operation](*used[:3])
    return directed(exact, mode, kind) if exact else None


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("mode", ["rd", "ru", "rz"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_rounding(shim: ctypes.CDLL, operation: str, mode: str, kind: str) -> None:
    function = shim[f"{kind}{operation}_{mode}"]
    function.restype = FORMATS[kind][2]
    function.argtypes = [FORMATS[kind][2]] * 3

    @given(numbers(kind), numbers(kind), numbers(kind), st.booleans())
    @example(1.0, -1.0, 0.0, False)
    @example(-0.0, -0.0, -0.0, False)
    @example(math.inf, -math.inf, 1.0, False)
    def check(a: float, b: float, c: float, near: bool) -> None:
        if near and operation in ("add", "sub") and math.isfinite(a):  # cancellation
            b = number(max(word(abs(a), kind) - 3, 0), kind) * (-1 if operation == "add" else 1)
        if near and operation == "fma" and kind == "f" and math.isfinite(a * b) and abs(a * b) < 2.0**127:
            c = number(word(-a * b, "f"), "f")
        found = function(a, b, c)
        exact = wanted(operation, mode, kind, a, b, c)
        if exact is not None:
            assert (found, math.copysign(1, found)) == (exact, math.copysign(1, exact))
        else:
            check_special(operation, mode, a, b, c, found)

    check()


def check_special(operation: str, mode: str, a: float, b: float, c: float, found: float) -> None:
    """Check infinities, NaN, division by zero, and the sign of exact zeros."""
    if any(map(math.isnan, operands(operation, a, b, c))):
        assert math.isnan(found)
        return
    if operation in ("add", "sub"):
        b = -b if operation == "sub" else b
        check_sum(mode, a, b, found)
    elif operation == "fma" and not (math.isinf(a) or math.isinf(b)):
        check_sum(mode, math.copysign(0.0, a) * math.copysign(1, b) if a == 0 or b == 0 else a * b, c, found)
    elif operation == "sqrt":
        assert math.isnan(found) if a < 0 else found == a and math.copysign(1, found) == math.copysign(1, a)


def check_sum(mode: str, a: float, b: float, found: float) -> None:
    if math.isinf(a) or math.isinf(b):
        whole = a + b
        assert math.isnan(found) if math.isnan(whole) else found == whole
        return
    same = math.copysign(1, a) == math.copysign(1, b)
    sign = math.copysign(1, a) if same else (-1 if mode == "rd" else 1)
    assert found == 0 and math.copysign(1, found) == sign
