"""Every instruction that computes, against what tinygrad's emulator says of it.

Its results are recorded in tests/emulate/oracle; `python -m scripts.instructions.record` makes them again.
"""

from __future__ import annotations

import pytest

from scripts.instructions.cases import cases, is_close, result, state
from scripts.instructions.machine import ExecutionError, Machine
from scripts.instructions.record import differences, lanes_of, recorded

pytestmark = pytest.mark.toolchain

# The oracle has one instruction set for all of a family; encodings of these are the same.
_RECORDED = {
    "gfx90a": "gfx942",
    "gfx942": "gfx942",
    "gfx950": "gfx942",
    "gfx1030": "gfx1100",
    "gfx1100": "gfx1100",
    "gfx1151": "gfx1100",
    "gfx1201": "gfx1201",
}


@pytest.mark.parametrize("processor", _RECORDED)
def test_instructions_do_what_the_oracle_says(machine: Machine, processor: str) -> None:
    expected = recorded(_RECORDED[processor])
    wrong, compared = [], 0
    for case in cases(processor):
        known = expected.get(case.key, "-")
        if known == "-" or differences(processor, case.key):
            continue
        before, after = (state(case, lanes_of(processor)) for _ in range(2))
        try:
            machine.execute(processor, case.code, after)
        except ExecutionError as error:
            wrong.append(str(error))
            continue
        found = result(before, after, case)
        compared += 1
        if found != known and (case.is_exact or not is_close(found, known, case)):
            wrong.append(case.key)
    assert wrong == []
    assert compared >= 500
