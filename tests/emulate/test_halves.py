"""Halves of registers change places (`v_swap_b16` of gfx11)."""

from __future__ import annotations

import numpy as np
import pytest

from scripts.instructions.machine import EXEC, Machine, State
from scripts.instructions.tables import VECTOR, instructions

pytestmark = pytest.mark.slow

SWAP = next(one for one in instructions("gfx1100") if one.name == "v_swap_b16")
HIGH = 128
"""Added to a register's number for its upper half."""
FIRST, SECOND = np.uint32(0x1111_2222), np.uint32(0x3333_4444)


@pytest.mark.parametrize(
    ("to", "source", "first", "second"),
    [
        (1, 2, 0x1111_4444, 0x3333_2222),
        (1 + HIGH, 2, 0x4444_2222, 0x3333_1111),
        (1, 2 + HIGH, 0x1111_3333, 0x2222_4444),
        (1 + HIGH, 2 + HIGH, 0x3333_2222, 0x1111_4444),
        (1, 1 + HIGH, 0x2222_1111, 0x3333_4444),
    ],
)
def test_halves_of_active_lanes_change_places(machine: Machine, to: int, source: int, first: int, second: int) -> None:
    state = State(32)
    state.vectors[1], state.vectors[2] = FIRST, SECOND
    state.scalars[EXEC] = 0x0000_FFF0
    machine.execute("gfx1100", SWAP.encoded({"vdst": to, "src0": VECTOR + source}), state)
    active = np.array([0xFFF0 >> lane & 1 for lane in range(32)], bool)
    np.testing.assert_array_equal(state.vectors[1], np.where(active, first, FIRST))
    np.testing.assert_array_equal(state.vectors[2], np.where(active, second, SECOND))
