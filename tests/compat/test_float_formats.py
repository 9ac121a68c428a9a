"""bfloat16, e4m3 and e5m2: all values, and rounding compared with the list of all values."""

from __future__ import annotations

import bisect
import ctypes
import math
import struct
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.compat.test_exact import numbers

# Bits of fraction, exponent bias, the first magnitude that is no finite number.
FORMATS = {"bfloat16": (7, 127, 0x7F80), "e4m3": (3, 7, 0x7F), "e5m2": (2, 15, 0x7C)}


def value(name: str, magnitude: int) -> Fraction:
    """Return the value of a magnitude (the bits without the sign); beyond the largest finite one, extrapolate."""
    bits, bias, _ = FORMATS[name]
    exponent, fraction = magnitude >> bits, magnitude & (1 << bits) - 1
    whole = fraction + (1 << bits if exponent else 0)
    return Fraction(whole) * Fraction(2) ** (max(exponent, 1) - bias - bits)


MAGNITUDES = {name: [value(name, m) for m in range(end + 1)] for name, (_, _, end) in FORMATS.items()}


def nearest(name: str, x: float | Fraction) -> int:
    """Return the magnitude nearest to a finite number, ties to even; `end` if it is too large."""
    known = MAGNITUDES[name]
    exact = abs(Fraction(x))
    above = bisect.bisect_left(known, exact)
    if above == 0 or above == len(known):
        return min(above, len(known) - 1)
    low, high = exact - known[above - 1], known[above] - exact
    return above if high < low or (high == low and above % 2 == 0) else above - 1


def called(function: object, *arguments: object) -> int:
    assert isinstance(function, ctypes._CFuncPtr)
    function.restype, function.argtypes = ctypes.c_uint, [ctypes.c_double, ctypes.c_int][: len(arguments)]
    return int(function(*arguments))


@pytest.mark.parametrize("name", FORMATS)
def test_every_value(shim: ctypes.CDLL, name: str) -> None:
    function = shim[f"{name}_value"]
    function.restype = ctypes.c_float
    end = FORMATS[name][2]
    sign = 1 << end.bit_length()
    for magnitude in range(end):
        for found, factor in ((function(magnitude), 1), (function(magnitude | sign), -1)):
            assert found == factor * float(MAGNITUDES[name][magnitude]) and math.copysign(1, found) == factor
    beyond = function(end)
    assert math.isnan(beyond) if name == "e4m3" else beyond == math.inf
    assert math.isnan(function(sign - 1)) and math.isnan(function(2 * sign - 1))


@pytest.mark.parametrize("kind", ["f", "d"])
@pytest.mark.parametrize("saturate", [False, True])
@pytest.mark.parametrize("name", ["e4m3", "e5m2"])
def test_to_eight_bits(shim: ctypes.CDLL, name: str, saturate: bool, kind: str) -> None:
    end = FORMATS[name][2]

    @given(st.one_of(numbers(kind), st.sampled_from(MAGNITUDES[name]).map(float), halfway(name)))
    def check(x: float) -> None:
        found = called(shim[name], x, int(saturate))
        if math.isnan(x):
            assert found == 0x7F
            return
        magnitude = end if math.isinf(x) else nearest(name, x)
        sign = 0x80 if math.copysign(1, x) < 0 else 0
        assert found == sign | (end - 1 if saturate and magnitude == end else magnitude)

    check()


def halfway(name: str) -> st.SearchStrategy[float]:
    """A strategy for midpoints between adjacent values, and the numbers next to them."""
    known = MAGNITUDES[name]
    middles = st.integers(0, len(known) - 2).map(lambda i: float((known[i] + known[i + 1]) / 2))
    return st.tuples(middles, st.sampled_from([-math.inf, 0.0, math.inf]), st.sampled_from([1, -1])).map(
        lambda way: way[2] * (math.nextafter(way[0], way[1]) if way[1] else way[0])
    )


@given(st.one_of(numbers("f"), numbers("d"), halfway("bfloat16")))
def test_to_bfloat16(shim: ctypes.CDLL, x: float) -> None:
    found = {mode: called(shim[f"bfloat16_{mode}"], x) for mode in ("near", "rz", "rd", "ru")}
    if math.isnan(x):
        assert set(found.values()) == {0x7FFF}
        return
    sign = 0x8000 if math.copysign(1, x) < 0 else 0
    if math.isinf(x):
        assert set(found.values()) == {sign | 0x7F80}
        return
    below = bisect.bisect_right(MAGNITUDES["bfloat16"], abs(Fraction(x))) - 1
    low = min(below, 0x7F7F)
    high = below if MAGNITUDES["bfloat16"][below] == abs(Fraction(x)) and below < 0x7F80 else min(below + 1, 0x7F80)
    assert found["near"] == sign | nearest("bfloat16", x)
    assert found["rz"] == sign | low
    assert (found["rd"], found["ru"]) == ((sign | high, sign | low) if sign else (low, high))


def test_bfloat16_is_the_upper_half_of_a_float(shim: ctypes.CDLL) -> None:
    shim.bfloat16_value.restype = ctypes.c_float
    assert struct.pack(">f", shim.bfloat16_value(0xC049)).hex() == "c0490000"


@given(numbers("f"))
def test_the_quick_way_to_bfloat16(shim: ctypes.CDLL, x: float) -> None:
    quick = shim.bfloat16_quick
    quick.restype, quick.argtypes = ctypes.c_uint, [ctypes.c_float]
    assert quick(x) == called(shim.bfloat16_near, x)


BFLOATS = st.integers(0, 0xFFFF).map(lambda word: float(struct.unpack(">f", struct.pack(">I", word << 16))[0]))


@given(BFLOATS, BFLOATS, BFLOATS, st.integers(-9, 9))
def test_fused_multiply_and_add_rounds_once(shim: ctypes.CDLL, a: float, b: float, c: float, apart: int) -> None:
    """Includes sums next to a midpoint, which rounding twice would get wrong."""
    if not all(map(math.isfinite, (a, b, c))):
        return
    if apart:
        a, b, c = 1.0 + 2.0**-7, 2.0**-8, math.copysign(2.0 ** (-40 + apart), c)
    fma = shim.bfloat16_fma
    fma.restype, fma.argtypes = ctypes.c_uint, [ctypes.c_float] * 3
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact:
        assert fma(a, b, c) == (0x8000 if exact < 0 else 0) | nearest("bfloat16", exact)
