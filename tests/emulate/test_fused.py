"""Sequences that are translated to machine code of the host, against the same operations one by one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scripts.instructions.cases import cases, result, state
from scripts.instructions.machine import EXEC, ExecutionError, Machine, State
from scripts.instructions.record import lanes_of

pytestmark = pytest.mark.toolchain

# All lanes, some and one of the first 16, and lanes that nothing is translated for.
_MASKS = (0xFFFFFFFF_FFFFFFFF, 0x8421, 0x1, 0x10001, 0)


def _executed(machine: Machine, processor: str, code: bytes, before: State, *, fused: bool) -> State:
    after = replace(before, scalars=before.scalars.copy(), local=before.local.copy())
    after.vectors = before.vectors.copy()
    machine.execute(processor, code, after, fused=fused)
    return after


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
            if result(before, alone, case) != result(before, fused, case):  # which NaN it is, is not defined
                wrong.append(f"{case.key} with {mask:x}")
    assert wrong == []
    assert compared >= 1500
