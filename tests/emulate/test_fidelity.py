"""The fidelity report: no instruction that computes something else than the oracle is called exact."""

from __future__ import annotations

import pytest

from hipport.emulate.fidelity import inexact
from scripts.instructions.all_cases import all_cases, result_of, state_of
from scripts.instructions.machine import ExecutionError, Machine
from scripts.instructions.page import RECORDED, status
from scripts.instructions.record import differences, lanes_of, recorded

pytestmark = pytest.mark.toolchain


def is_reported(name: str) -> bool:
    """Return whether the report calls an instruction inexact."""
    return bool(inexact({name: 1}))


@pytest.mark.parametrize("processor", RECORDED)
def test_what_differs_from_the_oracle_is_reported(machine: Machine, processor: str) -> None:
    expected = recorded(RECORDED[processor])
    unreported, compared = [], 0
    for case in all_cases(processor):
        known = expected.get(case.key, "-")
        if known == "-" or "the oracle" in differences(processor, case.key):
            continue  # the oracle does not know it, or is wrong
        before, after = (state_of(case, lanes_of(processor)) for _ in range(2))
        try:
            machine.execute(processor, case.code, after)
        except ExecutionError:
            continue  # stops the program
        compared += 1
        if result_of(before, after, case) != known and not is_reported(case.instruction.name):
            unreported.append(case.key)
    assert unreported == []
    assert compared >= 700


@pytest.mark.parametrize("processor", RECORDED)
def test_the_page_and_the_report_agree(machine: Machine, processor: str) -> None:
    """The report names all instructions that the documentation calls inexact."""
    wrong = [
        one.name for one in status(machine, processor) if one.is_executed and one.inexact and not is_reported(one.name)
    ]
    assert wrong == []


def test_what_is_exact_is_not_reported() -> None:
    exact = ("v_add_f32_e32", "v_fma_f64", "v_mul_lo_u32", "ds_add_rtn_f32", "v_mfma_i32_16x16x16i8", "s_add_u32")
    assert [name for name in exact if is_reported(name)] == []
