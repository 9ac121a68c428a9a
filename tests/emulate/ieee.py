"""Arithmetic of IEEE 754 in exact fractions, with all directions of rounding: a reference for rounding modes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Format:
    """A binary format by its width, the bits of its mantissa (with the hidden one), and its least exponent."""

    width: int
    precision: int
    least: int

    @property
    def fraction_bits(self) -> int:
        """The bits of the mantissa that are stored."""
        return self.precision - 1

    @property
    def greatest(self) -> int:
        """The bits of the greatest finite number."""
        return (((1 << self.width - 1 - self.fraction_bits) - 1) << self.fraction_bits) - 1


F16, F32, F64 = Format(16, 11, -14), Format(32, 24, -126), Format(64, 53, -1022)


@dataclass(frozen=True)
class Number:
    """A finite number; zeros have a sign."""

    value: Fraction
    negative: bool


def decoded(bits: int, kind: Format) -> Number:
    """Return the number that bits are, which are finite."""
    negative, rest = bool(bits >> kind.width - 1), bits & ((1 << kind.width - 1) - 1)
    exponent, fraction = rest >> kind.fraction_bits, rest & ((1 << kind.fraction_bits) - 1)
    if exponent:
        fraction |= 1 << kind.fraction_bits
    value = Fraction(fraction) * Fraction(2) ** (kind.least - kind.fraction_bits + max(exponent - 1, 0))
    return Number(-value if negative else value, negative)


def flushed(bits: int, kind: Format) -> int:
    """Return the bits of a number, or of a zero with its sign if it is denormal."""
    sign = bits & 1 << kind.width - 1
    return sign if (bits ^ sign) >> kind.fraction_bits == 0 else bits


def encoded(number: Number, kind: Format, direction: int) -> int:
    """Round a number: to nearest even (0), up (1), down (2), or toward zero (3)."""
    sign = int(number.negative) << kind.width - 1
    size = abs(number.value)
    if size == 0:
        return sign
    exponent = max(_exponent(size), kind.least)
    scaled = size / Fraction(2) ** (exponent - kind.fraction_bits)
    whole, rest = scaled.numerator // scaled.denominator, scaled - scaled.numerator // scaled.denominator
    away = {1: not number.negative, 2: number.negative, 3: False}
    if rest and (away[direction] if direction else rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole & 1)):
        whole += 1
    bits = whole + (exponent - kind.least << kind.fraction_bits)  # a carry goes to the exponent
    if bits > kind.greatest:
        bits = kind.greatest + (not direction or away[direction])
    return sign | bits


def _exponent(size: Fraction) -> int:
    guess = size.numerator.bit_length() - size.denominator.bit_length()
    return guess if size >= Fraction(2) ** guess else guess - 1


def added(a: Number, b: Number, direction: int) -> Number:
    """Return the exact sum; the sign of a zero depends on the direction."""
    total = a.value + b.value
    if total:
        return Number(total, total < 0)
    return Number(total, a.negative if a.negative == b.negative else direction == 2)


def multiplied(a: Number, b: Number) -> Number:
    """Return the exact product."""
    return Number(a.value * b.value, a.negative != b.negative)
