"""Edge inputs of each type: all of them for functions of one argument, fewer of each type for more arguments.

The values follow from the format of the numbers: zeros, denormal and normal limits, ties of every narrower format,
limits of the integers, infinities and NaN.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache

from scripts.values.signatures import Signature
from scripts.values.types import BF16, F16, F32, F64, TYPES, Number, Type

Words = tuple[int, ...]

_ORDERED, _ORDER = re.compile(r"[jy]nf?$"), 100
"""Bessel functions, whose time grows with their order, and the highest order to try."""

_ROOM = {1: 400, 2: 14, 3: 8, 4: 4}
"""The largest number of values of an argument, by the number of arguments."""


def encode(number: Number, value: Fraction) -> int:
    """Return the bits of the number next to a value, toward zero; the largest finite number is the limit."""
    sign, value = (1 << (number.bits - 1) if value < 0 else 0), abs(value)
    if not value:
        return sign
    bias = (1 << (number.exponent - 1)) - 1
    exponent = max(value.numerator.bit_length() - value.denominator.bit_length(), 1 - bias - 1)
    while Fraction(2) ** exponent > value and exponent > 1 - bias:
        exponent -= 1
    while Fraction(2) ** (exponent + 1) <= value:
        exponent += 1
    exponent = max(exponent, 1 - bias)
    scaled = int(value / Fraction(2) ** (exponent - number.mantissa))
    field = exponent + bias if scaled >> number.mantissa else 0
    whole = (field << number.mantissa) | (scaled & ((1 << number.mantissa) - 1))
    return sign | min(whole, infinity(number) - 1)


def infinity(number: Number) -> int:
    return ((1 << number.exponent) - 1) << number.mantissa


def _floats(number: Number) -> Iterator[int]:
    """Yield the edge values of a format, the most important first."""
    sign, inf = 1 << (number.bits - 1), infinity(number)
    one = encode(number, Fraction(1))
    yield from (0, one, inf | 1 << (number.mantissa - 1), sign | inf, sign, sign | one, inf)
    yield from (encode(number, value) for value in (Fraction(5, 2), Fraction(-1, 2), Fraction(3)))
    yield from (1, inf - 1, sign | 1, sign | inf - 1, (1 << number.mantissa) - 1, 1 << number.mantissa)
    plain = (
        "1/2 3/2 -3/2 -5/2 2 -2 1/3 -1/3 3/4 -3/4 7/10 10 -10 20 -20 89 -104 100 1/1000 255/2 -127 128 -128 -129 256"
    )
    yield from (encode(number, Fraction(value)) for value in plain.split())
    yield from (one - 1, one + 1, sign | one + 1, sign | one - 1, sign | 1 << number.mantissa)
    half = encode(number, Fraction(1, 2))
    yield from (half - 1, half + 1, sign | half - 1)
    for power in (15, 16, 31, 32, 63, 64, number.mantissa, number.mantissa + 1):
        whole = encode(number, Fraction(2) ** power)
        yield from (whole, sign | whole, whole - 1, whole + 1, sign | whole + 1)
        yield from (encode(number, Fraction(2) ** power - 1), encode(number, Fraction(2) ** power - Fraction(1, 2)))
        yield encode(number, -(Fraction(2) ** power) - Fraction(1, 2))
    for narrow in (F16, BF16, F32):
        if narrow.mantissa < number.mantissa:
            yield from _ties(number, narrow)


def _ties(number: Number, narrow: Number) -> Iterator[int]:
    """Yield the values around ties of a narrower format, among its limits and its denormal numbers."""
    bias = (1 << (narrow.exponent - 1)) - 1
    step = Fraction(2) ** -narrow.mantissa
    largest = (2 - step) * Fraction(2) ** bias
    least = Fraction(2) ** (1 - bias - narrow.mantissa)
    middles = (1 + step / 2, 1 + 3 * step / 2, largest + step / 2 * Fraction(2) ** bias, least / 2, 3 * least / 2)
    for middle in middles:
        tie = encode(number, middle)
        yield from (tie, tie - 1, tie + 1, tie | 1 << (number.bits - 1))
    yield from (
        encode(number, largest),
        encode(number, largest + step / 4 * Fraction(2) ** bias),
        encode(number, least),
    )
    if number == F64 and narrow != F32:  # a rounding by way of float makes a tie of it
        above = encode(number, (1 + step / 2) + Fraction(2) ** -40)
        yield from (above, encode(number, (1 + 3 * step / 2) - Fraction(2) ** -40))


def _integers(number: Number) -> Iterator[int]:
    mask = (1 << number.bits) - 1
    top = 1 << (number.bits - 1)
    yield from (0, 1, mask, top, top - 1, 2)
    patterns = (0x7FFF8000, 0x80007FFF, 0x00FF80, 0x12345678, 31, 32, 0xFFFF0001, 0x7F80FF01, 0x80808080, 0x3210, 33)
    yield from (one & mask for one in patterns if number.bits >= 32)
    yield from (3, 5, mask - 1, mask - 2, top + 1, top - 2, 7, 8, 10, 100, mask - 99)
    for power in (8, 11, 12, 16, 24, 25, 32, 53, 54):
        if power < number.bits:
            whole = 1 << power
            yield from (whole, whole - 1, whole + 1, mask & -whole, mask & -(whole + 1), whole + 2, whole + 3)
    limits = (65504, 65519, 65520, 65536, 2049, 2051, 4098, 257, 259, 385)
    yield from (one & mask for limit in limits if limit <= mask for one in (limit, -limit))
    if number.bits > 32:
        yield from (top - 512, top - 511, top - 1025, mask - 1023, mask - 1024, mask - 2047, mask - 2048)
        yield from ((1 << 31) - 1, 1 << 31, mask & -(1 << 31), (1 << 40) + (1 << 16), (1 << 40) + (1 << 16) + 1)
        yield from (0x0123456789ABCDEF, 0x7FFF80007FFF8000)
    if number.bits == 32:
        yield from (top - 64, top - 65, top - 63, mask - 127, mask - 128, 0x00010001, 0x7FFF7FFF, 0x80018001)


@cache
def values(name: str, arguments: int) -> tuple[Words, ...]:
    """Return the inputs of a type for a function of so many arguments, each as 64-bit words."""
    kind, room = TYPES[name], _ROOM[arguments]
    if kind.choices:
        return tuple((place,) for place in range(len(kind.choices)))
    if name in ("__nv_fp8_storage_t", "__nv_fp8x2_storage_t"):
        return tuple((word * (0x0101 if kind.number.bits == 16 else 1) & 0xFFFF,) for word in range(256))
    numbers = list(dict.fromkeys(_numbers(kind.number)))
    if kind.number.kind == "bool":
        numbers = [0, 1]
    if kind.count == 1:
        return tuple((one,) for one in numbers[:room])
    return tuple(_pairs(kind, numbers, room))


def _numbers(number: Number) -> Iterator[int]:
    return _floats(number) if number.kind == "float" else _integers(number)


def _pairs(kind: Type, numbers: list[int], room: int) -> Iterator[Words]:
    """Yield pairs that have each number on each side; in small grids both sides walk through the first numbers."""
    chosen = numbers if room > 100 else numbers[: room + 2]
    for place in range(min(len(chosen), room)):
        first, second = chosen[place], chosen[(place * 5 + 3) % len(chosen)]
        whole = first | second << kind.number.bits
        yield tuple(whole >> (64 * word) & ((1 << 64) - 1) for word in range(kind.words))


def arguments(signature: Signature) -> Iterator[tuple[Words, ...]]:
    """Yield the inputs of a function: every combination of the values of its arguments; the last one varies fastest."""
    return itertools.product(*tables(signature))


def tables(signature: Signature) -> tuple[tuple[Words, ...], ...]:
    """Return the values of each argument; arguments that choose a mode do not count for the size of the others."""
    inputs = signature.inputs
    count = sum(not one.choices for one in inputs)
    found = tuple(values(one.cuda, min(4, count)) for one in inputs)
    if _ORDERED.match(signature.name):
        return (tuple(one for one in found[0] if one[0] <= _ORDER), *found[1:])
    return found
