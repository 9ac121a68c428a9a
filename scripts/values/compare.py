"""Compare a result with CUDA's: the same bits, any NaN for a NaN, and for approximate functions a near number."""

from __future__ import annotations

import re
from collections.abc import Sequence

from scripts.values.signatures import Signature
from scripts.values.types import Number

_STEMS = (
    "a?(sin|cos|tan)h?|(sin|cos|sincos)pi|sincos|atan2|(exp|log)(2|10)?|expm1|log1p|logb|pow|r?cbrt|r?hypot|r?norm[34]d|"
    "erf(c|cx|inv|cinv)?|normcdf(inv)?|[lt]gamma|cyl_bessel_i[01]|fdivide|rsqrt|sqrt|rcp|tanh"
)
_APPROXIMATE = re.compile(rf"({_STEMS})f?|__frsqrt_rn|h2?({_STEMS})(_approx)?")
_ROUGH = re.compile(r"__(sin|cos|sincos|tan|tanh|exp|exp10|log|log2|log10|pow)f|__fdividef|[jy][01n]f?")
"""Fast functions and Bessel functions, whose error CUDA bounds absolutely if at all: only the class is compared."""

_SIGNED_ZEROS = re.compile(r"(sin|cos|sincos)pif?")
"""Functions whose zeros are exact, so that their signs count."""

_ULPS = 16
"""The bounds that the documentations of CUDA and of ROCm's device library give, added; the largest are those of pow."""
_HALF_ULPS = 2


def formats(signature: Signature) -> tuple[Number, ...]:
    """Return the formats of the numbers of a function's results."""
    return tuple(kind.number for kind in signature.results for _ in range(kind.count))


def agree(signature: Signature, mine: Sequence[int], cuda: Sequence[int]) -> bool:
    """Return whether all numbers of a result are CUDA's, as near as the function promises."""
    rough = bool(_ROUGH.fullmatch(signature.name))
    near = bool(_APPROXIMATE.fullmatch(signature.name))
    signed = bool(_SIGNED_ZEROS.fullmatch(signature.name))
    return all(
        _same(number, own, other, near, rough) and not (signed and number.is_zero(own) and own != other)
        for number, own, other in zip(formats(signature), mine, cuda, strict=True)
    )


def _same(number: Number, mine: int, cuda: int, near: bool, rough: bool) -> bool:
    if mine == cuda or (number.is_nan(mine) and number.is_nan(cuda)):
        return True
    if number.kind == "bool":
        return bool(mine) == bool(cuda)
    if number.kind != "float" or not (near or rough) or number.is_nan(mine) or number.is_nan(cuda):
        return False
    if rough:
        return number.is_infinite(mine) == number.is_infinite(cuda)
    return abs(_ordered(number, mine) - _ordered(number, cuda)) <= (_HALF_ULPS if number.bits == 16 else _ULPS)


def _ordered(number: Number, word: int) -> int:
    """Return the place of a float in the order of all floats: next numbers differ by 1, the zeros are equal."""
    magnitude = word & ((1 << (number.bits - 1)) - 1)
    return -magnitude if word >> (number.bits - 1) else magnitude
