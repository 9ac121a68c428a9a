from __future__ import annotations

import ctypes

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.compat.test_simd import WORDS, parts

SUMS = st.integers(0, 2**32 - 1)


def wrapped(value: int, signed: bool) -> int:
    value &= 2**32 - 1
    return value - (value >> 31 << 32) if signed else value


def call(function: object, signed: bool, *words: int) -> int:
    kind = ctypes.c_int if signed else ctypes.c_uint
    assert isinstance(function, ctypes._CFuncPtr)
    function.restype = kind
    return int(function(*map(kind, words[:3]), *words[3:]))


@pytest.mark.parametrize("signed", [True, False])
def test_dot_product_of_bytes(shim: ctypes.CDLL, signed: bool) -> None:
    @given(WORDS, WORDS, SUMS)
    def check(a: int, b: int, total: int) -> None:
        wanted = total + sum(x * y for x, y in zip(parts(a, 8, signed), parts(b, 8, signed), strict=True))
        assert call(shim.dp4a_s if signed else shim.dp4a_u, signed, a, b, total) == wrapped(wanted, signed)

    check()


@pytest.mark.parametrize("start", [0, 2])
@pytest.mark.parametrize("signed", [True, False])
def test_dot_product_of_halfwords_and_bytes(shim: ctypes.CDLL, signed: bool, start: int) -> None:
    @given(WORDS, WORDS, SUMS)
    def check(a: int, b: int, total: int) -> None:
        pairs = zip(parts(a, 16, signed), parts(b, 8, signed)[start : start + 2], strict=True)
        wanted = total + sum(x * y for x, y in pairs)
        assert call(shim.dp2a_s if signed else shim.dp2a_u, signed, a, b, total, start) == wrapped(wanted, signed)

    check()


@given(mask=SUMS, base=st.integers(0, 33), n=st.integers(-34, 34))
def test_nth_set_bit(shim: ctypes.CDLL, mask: int, base: int, n: int) -> None:
    order = range(base, 32) if n > 0 else range(min(base, 31), -1, -1) if base < 32 else ()
    found = [at for at in order if mask >> at & 1]
    wanted = (base if base < 32 and mask >> base & 1 else None) if n == 0 else None
    if n and len(found) >= abs(n):
        wanted = found[abs(n) - 1]
    shim.fns.restype = ctypes.c_uint
    assert shim.fns(ctypes.c_uint(mask), ctypes.c_uint(base), n) == (2**32 - 1 if wanted is None else wanted)
