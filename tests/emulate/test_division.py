"""Divisions as compilers emit them, against IEEE 754: whether v_div_scale, v_div_fmas and v_div_fixup fit together."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from scripts.instructions.machine import Machine, State

pytestmark = pytest.mark.toolchain

# What clang emits for `v1 / v2` (to v3) and `v[2:3] / v[4:5]` (to v[6:7]) for gfx90a.
SINGLE = bytes.fromhex(
    "0a14e0d1020506040b6ae0d1010506040a45187e0d00cbd10a19ca230c00cbd10d1932040b191a0a0e00cbd10a1b2e240d00cbd1"
    "0e1936040e00cbd10a1b2e240e00e2d10e1936040300ded10e050604"
)
DOUBLE = bytes.fromhex(
    "0a14e1d104090a040a4b187e0e00ccd10a19ca230c00ccd10c1d32040e00ccd10a19ca230c00ccd10c1d32040e6ae1d102090a04"
    "100081d20e1902000a00ccd10a213a240a00e3d10a1942040600dfd10a090a04"
)


def extreme(rng: np.random.Generator, bits: int, mantissa: int) -> NDArray[np.unsignedinteger]:
    """Return random codes, of which a third each are very small and very large."""
    codes = rng.integers(0, 1 << bits, 64, dtype=f"u{bits // 8}")
    exponent = type(codes[0])(((1 << (bits - 1 - mantissa)) - 8) << mantissa)
    choice = rng.integers(0, 3, 64)
    return np.where(choice == 0, codes, np.where(choice == 1, codes & ~exponent, codes | exponent & ~(exponent >> 1)))


@pytest.mark.parametrize("seed", range(20))
def test_quotients_of_32_bits_are_rounded_once(machine: Machine, seed: int) -> None:
    rng = np.random.default_rng(seed)
    state = State(64)
    a, b = extreme(rng, 32, 23).astype(np.uint32), extreme(rng, 32, 23).astype(np.uint32)
    state.vectors[1], state.vectors[2] = a, b
    machine.execute("gfx90a", SINGLE, state)
    with np.errstate(all="ignore"):
        expected = a.view(np.float32) / b.view(np.float32)
    np.testing.assert_array_equal(state.vectors[3].view(np.float32), expected)


@pytest.mark.parametrize("seed", range(20))
def test_quotients_of_64_bits_are_rounded_once(machine: Machine, seed: int) -> None:
    rng = np.random.default_rng(seed)
    state = State(64)
    a, b = extreme(rng, 64, 52).astype(np.uint64), extreme(rng, 64, 52).astype(np.uint64)
    for register, words in ((2, a), (4, b)):
        state.vectors[register], state.vectors[register + 1] = words & 0xFFFFFFFF, words >> np.uint64(32)
    machine.execute("gfx90a", DOUBLE, state)
    with np.errstate(all="ignore"):
        expected = a.view(np.float64) / b.view(np.float64)
    found = state.vectors[6].astype(np.uint64) | state.vectors[7].astype(np.uint64) << np.uint64(32)
    np.testing.assert_array_equal(found.view(np.float64), expected)
