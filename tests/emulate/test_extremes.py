"""Minima, maxima and medians of 16-bit numbers are those of the same numbers in 32 bits, which the oracle checks."""

from __future__ import annotations

import re

import numpy as np
import pytest

from scripts.instructions.machine import Machine, State
from scripts.instructions.page import RECORDED
from scripts.instructions.tables import VECTOR, Instruction, instructions

pytestmark = pytest.mark.toolchain

_EXTREME = re.compile(r"v_(pk_)?((?:min|max|med3|minmax|maxmin|minimum|maximum)\w*)_f16")
_EDGES = np.array([0, 0x8000, 0x7C00, 0xFC00, 0x7E00, 0xFE00, 1, 0x8001, 0x3C00, 0xBC00], np.uint16)


def encoded(instruction: Instruction) -> bytes:
    """Return the instruction with sources v8, v16 and v24, and v40 as its result."""
    fields = instruction.format.fields
    values = {"vdst": 40, **({"op_sel_hi": 3, "op_sel_hi2": 1} if "op_sel_hi" in fields else {})}
    for slot, register in (("src0", 8), ("src1", 16), ("vsrc1", 16), ("src2", 24)):
        if any(one.name == slot for one in instruction.slots):
            values[slot] = register + (VECTOR if fields[slot][1] == 9 else 0)
    return instruction.encoded(values)


def without_nan_payload(halves: np.ndarray) -> list[int]:
    return [0x7E00 if half & 0x7FFF > 0x7C00 else half for half in halves.tolist()]


@pytest.mark.parametrize("processor", RECORDED)
def test_extremes_of_16_bits_are_those_of_32_bits(machine: Machine, processor: str) -> None:
    by_name = {one.mnemonic: one for one in instructions(processor)}
    lanes = 64 if processor.startswith("gfx9") else 32
    rng = np.random.default_rng(5)
    wrong, compared = [], 0
    for name, narrow in by_name.items():
        match = _EXTREME.fullmatch(name)
        wide = match and by_name.get(f"v_{match[2]}_f32")
        if match is None or wide is None:
            continue
        compared += 1
        numbers = np.where(rng.integers(0, 2, (3, 2, lanes)), rng.choice(_EDGES, (3, 2, lanes)),
                           rng.standard_normal((3, 2, lanes)).astype(np.float16).view(np.uint16))  # fmt: skip
        found = State(lanes)
        for register, halves in zip((8, 16, 24), numbers.astype(np.uint32), strict=True):
            found.vectors[register] = halves[0] | halves[1] << 16
        machine.execute(processor, encoded(narrow), found)
        for half in range(2 if match[1] else 1):
            reference = State(lanes)
            for register, halves in zip((8, 16, 24), numbers.astype(np.uint16), strict=True):
                reference.vectors[register] = halves[half].view(np.float16).astype(np.float32).view(np.uint32)
            machine.execute(processor, encoded(wide), reference)
            expected = reference.vectors[40].view(np.float32).astype(np.float16).view(np.uint16)
            got = (found.vectors[40] >> np.uint32(16 * half)).astype(np.uint16)
            if without_nan_payload(got) != without_nan_payload(expected):
                wrong.append((name, half))
    assert wrong == []
    assert compared >= 4
