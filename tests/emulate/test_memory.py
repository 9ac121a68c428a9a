"""Every access to memory, against a reference from AMD's pseudo code and against tinygrad's emulator."""

from __future__ import annotations

import pytest

from scripts.instructions.machine import ExecutionError, Machine
from scripts.instructions.memory_cases import MemoryState, memory_cases, memory_result, memory_state
from scripts.instructions.memory_reference import perform
from scripts.instructions.page import RECORDED
from scripts.instructions.record import differences, lanes_of, recorded

pytestmark = pytest.mark.toolchain


def executed(machine: Machine, processor: str, code: bytes, state: MemoryState) -> str:
    """Execute code, and return an error's message or nothing."""
    try:
        machine.execute(processor, code, state)
    except ExecutionError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("processor", RECORDED)
def test_accesses_do_what_the_documents_say(machine: Machine, processor: str) -> None:
    wrong, compared = [], 0
    for case in memory_cases(processor):
        before, ours, reference = (memory_state(case, lanes_of(processor)) for _ in range(3))
        assert perform(processor, case, reference), case.key
        failed = executed(machine, processor, case.code, ours)
        compared += 1
        if failed or memory_result(before, ours) != memory_result(before, reference):
            wrong.append(f"{case.key} {failed}")
    assert wrong == []
    assert compared >= 700


@pytest.mark.parametrize("processor", ["gfx942", "gfx1100", "gfx1201"])
def test_accesses_do_what_the_oracle_says(machine: Machine, processor: str) -> None:
    expected = recorded(processor)
    wrong, compared = [], 0
    for case in memory_cases(processor):
        known = expected.get(case.key, "-")
        if known == "-" or differences(processor, case.key):
            continue
        before, ours = (memory_state(case, lanes_of(processor)) for _ in range(2))
        compared += 1
        if executed(machine, processor, case.code, ours) or memory_result(before, ours) != known:
            wrong.append(case.key)
    assert wrong == []
    assert compared >= 250
