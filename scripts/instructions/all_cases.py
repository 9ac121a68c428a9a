"""All cases that are compared with the oracle: of instructions that compute, and of those that access memory."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from scripts.instructions import cases, memory_cases
from scripts.instructions.cases import Case
from scripts.instructions.machine import State
from scripts.instructions.memory_cases import MemoryState


def all_cases(processor: str) -> Iterator[Case]:
    """Yield the cases of a processor."""
    return chain(cases.cases(processor), memory_cases.memory_cases(processor))


def accesses_memory(case: Case) -> bool:
    """Return whether the case is one of memory."""
    return case.instruction.format.name in memory_cases.FORMATS


def state_of(case: Case, lanes: int) -> State:
    """Return what a case starts with."""
    return memory_cases.memory_state(case, lanes) if accesses_memory(case) else cases.state(case, lanes)


def result_of(before: State, after: State, case: Case) -> str:
    """Return what a case left, as it is recorded."""
    if isinstance(before, MemoryState) and isinstance(after, MemoryState):
        return memory_cases.memory_result(before, after)
    return cases.result(before, after, case)
