"""SIMD within a word compared with CUDA's documentation, part by part."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

WORDS = st.one_of(
    st.integers(0, 2**32 - 1),
    st.lists(st.sampled_from([0, 1, 0x7F, 0x80, 0x81, 0xFE, 0xFF]), min_size=4, max_size=4).map(
        lambda parts: int.from_bytes(bytes(parts), "little")
    ),
)


def clamp(low: int, value: int, high: int) -> int:
    return max(low, min(value, high))


def half_away(value: int) -> int:
    """Return half of an integer, rounded to nearest with ties away from zero."""
    return (abs(value) + 1) // 2 * (1 if value >= 0 else -1)


SIGNED: dict[str, Callable[[int, int, int], int]] = {
    "abs": lambda a, b, n: abs(a),
    "absss": lambda a, b, n: min(abs(a), 2 ** (n - 1) - 1),
    "neg": lambda a, b, n: -a,
    "negss": lambda a, b, n: min(-a, 2 ** (n - 1) - 1),
    "absdiffs": lambda a, b, n: abs(a - b),
    "addss": lambda a, b, n: clamp(-(2 ** (n - 1)), a + b, 2 ** (n - 1) - 1),
    "subss": lambda a, b, n: clamp(-(2 ** (n - 1)), a - b, 2 ** (n - 1) - 1),
    "avgs": lambda a, b, n: half_away(a + b),
    "maxs": lambda a, b, n: max(a, b),
    "mins": lambda a, b, n: min(a, b),
}
UNSIGNED: dict[str, Callable[[int, int, int], int]] = {
    "absdiffu": lambda a, b, n: abs(a - b),
    "add": lambda a, b, n: a + b,
    "addus": lambda a, b, n: min(a + b, 2**n - 1),
    "sub": lambda a, b, n: a - b,
    "subus": lambda a, b, n: max(a - b, 0),
    "avgu": lambda a, b, n: (a + b + 1) // 2,
    "haddu": lambda a, b, n: (a + b) // 2,
    "maxu": lambda a, b, n: max(a, b),
    "minu": lambda a, b, n: min(a, b),
}
COMPARED: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "ge": lambda a, b: a >= b,
    "gt": lambda a, b: a > b,
    "le": lambda a, b: a <= b,
    "lt": lambda a, b: a < b,
}
UNARY = ("abs", "absss", "neg", "negss")


def parts(word: int, bits: int, signed: bool) -> list[int]:
    found = [word >> at & (1 << bits) - 1 for at in range(0, 32, bits)]
    return [part - (part >> (bits - 1) << bits) for part in found] if signed else found


def joined(values: list[int], bits: int) -> int:
    return sum((value & (1 << bits) - 1) << at * bits for at, value in enumerate(values))


def called(shim: ctypes.CDLL, name: str, bits: int, *words: int) -> int:
    function = shim[f"v{name}{32 // bits}"]
    function.argtypes, function.restype = [ctypes.c_uint] * len(words), ctypes.c_uint
    return int(function(*words))


@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize(("name", "signed"), [(n, True) for n in SIGNED] + [(n, False) for n in UNSIGNED])
def test_parts(shim: ctypes.CDLL, name: str, signed: bool, bits: int) -> None:
    reference = (SIGNED if signed else UNSIGNED)[name]

    @given(WORDS, WORDS)
    def check(a: int, b: int) -> None:
        wanted = [reference(x, y, bits) for x, y in zip(parts(a, bits, signed), parts(b, bits, signed), strict=True)]
        words = (a,) if name in UNARY else (a, b)
        assert called(shim, name, bits, *words) == joined(wanted, bits)

    check()


@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("sign", ["s", "u"])
@pytest.mark.parametrize("name", COMPARED)
def test_comparisons(shim: ctypes.CDLL, name: str, sign: str, bits: int) -> None:
    full = name if name in ("eq", "ne") else name + sign

    @given(WORDS, WORDS, st.booleans())
    def check(a: int, b: int, equal: bool) -> None:
        b = a if equal else b
        pairs = zip(parts(a, bits, sign == "s"), parts(b, bits, sign == "s"), strict=True)
        wanted = [int(COMPARED[name](x, y)) for x, y in pairs]
        assert called(shim, f"set{full}", bits, a, b) == joined(wanted, bits)
        assert called(shim, f"cmp{full}", bits, a, b) == joined([-w for w in wanted], bits)

    check()


@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("signed", [True, False])
def test_sums_of_differences(shim: ctypes.CDLL, signed: bool, bits: int) -> None:
    @given(WORDS, WORDS)
    def check(a: int, b: int) -> None:
        pairs = zip(parts(a, bits, signed), parts(b, bits, signed), strict=True)
        assert called(shim, "sads" if signed else "sadu", bits, a, b) == sum(abs(x - y) for x, y in pairs)

    check()
