"""Sequences that are translated to machine code of the host, against the same operations one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scripts.instructions.cases import cases, state
from scripts.instructions.machine import EXEC, ExecutionError, Machine, State
from scripts.instructions.record import lanes_of

pytestmark = pytest.mark.toolchain

# All lanes, some and one of the first 16, and lanes that nothing is translated for.
_MASKS = (0xFFFFFFFF_FFFFFFFF, 0x8421, 0x1, 0x10001, 0)


def _executed(machine: Machine, processor: str, code: bytes, before: State, *, fused: bool) -> State:
    after = replace(before, scalars=before.scalars.copy(), local=before.local.copy())
    after.scalars[:] = before.scalars
    after.vectors = before.vectors.copy()
    machine.execute(processor, code, after, fused=fused)
    return after


def _is_same(one: State, other: State) -> bool:
    return (
        np.array_equal(one.scalars, other.scalars)
        and np.array_equal(one.vectors, other.vectors)
        and np.array_equal(one.local, other.local)
        and one.scc == other.scc
    )


@pytest.mark.parametrize("processor", ["gfx90a", "gfx1100", "gfx1201"])
def test_translated_instructions_do_what_they_do_one_by_one(machine: Machine, processor: str) -> None:
    wrong, compared = [], 0
    for case in cases(processor):
        before = state(case, lanes_of(processor))
        for mask in _MASKS:
            low, high = mask & 0xFFFFFFFF, mask >> 32 if before.lanes == 64 else 0
            before.scalars[EXEC : EXEC + 2] = low, high
            # Twice, since a single instruction is not worth a translation.
            code = case.code * 2
            try:
                alone, fused = (_executed(machine, processor, code, before, fused=how) for how in (False, True))
            except ExecutionError:
                continue
            compared += 1
            if not _is_same(alone, fused):
                wrong.append(f"{case.key} with {mask:x}")
    assert wrong == []
    assert compared >= 1500
