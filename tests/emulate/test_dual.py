"""Dual instructions (VOPD): both halves read their registers before either writes."""

from __future__ import annotations

import numpy as np
import pytest

from scripts.instructions.machine import EXEC, Machine, State

pytestmark = pytest.mark.toolchain

CASES: dict[str, tuple[str, dict[int, tuple[int, ...]]]] = {
    # mov v0, v1 :: mov v1, v0
    "swap": ("010110ca00010000", {0: (1,), 1: (0,)}),
    # mov v0, v1 :: mov v3, v0
    "second_reads": ("010110ca00010200", {0: (1,), 3: (0,)}),
    # mov v1, v2 :: mov v0, v1
    "second_reads_the_odd_one": ("020110ca01010001", {1: (2,), 0: (1,)}),
    # mov v1, v0 :: add_nc_u32 v0, v1, v2
    "each_reads": ("000120ca01050001", {1: (0,), 0: (1, 2)}),
    # mov v2, v1 :: mov v3, v0
    "apart": ("010110ca00010202", {2: (1,), 3: (0,)}),
}
"""Machine code, and for each result the registers whose sum it is."""


@pytest.mark.parametrize("processor", ["gfx1100", "gfx1201"])
@pytest.mark.parametrize("case", CASES)
def test_both_halves_read_before_either_writes(machine: Machine, case: str, processor: str) -> None:
    code, sums = CASES[case]
    state = State(32)
    state.vectors[:8] = np.random.default_rng(7).integers(0, 1 << 32, (8, 32), dtype=np.uint32)
    state.scalars[EXEC] = 0x0FF0FF0F
    before = state.vectors.copy()
    machine.execute(processor, bytes.fromhex(code), state)
    active = (0x0FF0FF0F >> np.arange(32) & 1).astype(bool)
    expected = before.copy()
    for result, sources in sums.items():
        expected[result] = np.where(active, before[list(sources)].sum(axis=0, dtype=np.uint32), before[result])
    np.testing.assert_array_equal(state.vectors[:256], expected[:256])
