"""Literals of 32 bits for operands of 64: they have no sign unless the instruction's numbers have one."""

from __future__ import annotations

import re
import subprocess

import pytest

from hipport.toolchain.places import Surroundings
from hipport.toolchain.tools import find_tools
from scripts.instructions.machine import VCC, Machine, State
from tests.emulate.test_encodings import knows

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

_RDNA = (
    ("v_lshlrev_b64 v[40:41], 4, 0xffffffff", 0xFFFFFFFF0),
    ("v_lshrrev_b64 v[40:41], 4, 0x80000000", 0x08000000),
    ("v_ashrrev_i64 v[40:41], 4, 0x80000000", 0xFFFFFFFFF8000000),
    ("v_mad_u64_u32 v[40:41], s4, v8, v16, 0xffffffff", 0xFFFFFFFF),
    ("v_mad_i64_i32 v[40:41], s4, v8, v16, 0xffffffff", 0xFFFFFFFFFFFFFFFF),
    ("v_add_f64 v[40:41], v[8:9], 0x3ff80000", 0x3FF8000000000000),
)
CASES = (
    ("gfx942", (("v_mov_b64 v[40:41], 0xffffffff", 0xFFFFFFFF), ("v_mov_b64 v[40:41], 0x1234", 0x1234))),
    ("gfx1030", _RDNA),
    ("gfx1100", _RDNA),
)
"""Instructions with registers that are 0, and their results in v40 and v41."""


def assembled(processor: str, text: str) -> bytes:
    tool = next(tool for tool in find_tools("llvm-mc", Surroundings()) if knows(tool, processor))
    command = [tool, "--triple=amdgcn", f"--mcpu={processor}", "--show-encoding"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    found = re.search(r"encoding: \[([^\]]*)\]", done.stdout)
    assert found is not None, done.stdout
    return bytes(int(byte, 16) for byte in found[1].split(","))


@pytest.mark.parametrize(("processor", "cases"), CASES, ids=[processor for processor, _ in CASES])
def test_vector_instructions(machine: Machine, processor: str, cases: tuple[tuple[str, int], ...]) -> None:
    for text, expected in cases:
        state = State(64 if processor.startswith("gfx9") else 32)
        state.vectors[40:42] = 0x5A5A5A5A
        machine.execute(processor, assembled(processor, text), state)
        found = {int(low) | int(high) << 32 for low, high in zip(state.vectors[40], state.vectors[41], strict=True)}
        assert found == {expected}, text


@pytest.mark.parametrize(
    ("text", "equal"), [("v_cmp_eq_u64 vcc, 0x80000000, v[8:9]", False), ("v_cmp_eq_i64 vcc, 0x80000000, v[8:9]", True)]
)
def test_comparisons(machine: Machine, text: str, equal: bool) -> None:
    state = State(64)
    state.vectors[8], state.vectors[9] = 0x80000000, 0xFFFFFFFF
    machine.execute("gfx90a", assembled("gfx90a", text), state)
    assert int(state.scalars[VCC]) == (0xFFFFFFFF if equal else 0)
