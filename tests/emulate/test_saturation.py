"""Integer instructions with the clamp bit: results that their type cannot hold become its nearest value."""

from __future__ import annotations

import re
import subprocess

import numpy as np
import pytest

from hipport.toolchain.places import Surroundings
from hipport.toolchain.tools import find_tools
from scripts.instructions.machine import Machine, State
from tests.emulate.test_encodings import knows

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

_EDGES = np.array([0, 1, 5, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x12345678], np.uint32)
_RANGES = {"u16": (0, 0xFFFF), "i16": (-0x8000, 0x7FFF), "u32": (0, 0xFFFFFFFF), "i32": (-0x80000000, 0x7FFFFFFF)}


def numbers(words: np.ndarray, kind: str) -> list[int]:
    """Return the low parts of words as numbers of a type such as "i16" or "u24"."""
    bits = int(kind[1:])
    parts = [int(word) & ((1 << bits) - 1) for word in words]
    return [part - (1 << bits) if kind[0] == "i" and part >> (bits - 1) else part for part in parts]


def clamped(value: int, kind: str) -> int:
    low, high = _RANGES[kind]
    return min(max(value, low), high) & ((1 << int(kind[1:])) - 1)


def wanted(name: str, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> list[int]:
    """Return what an instruction computes in each lane."""
    kinds = re.findall(r"[ui](?:32|24|16)", name)
    if "_mad_" in name:
        triples = zip(numbers(a, kinds[-1]), numbers(b, kinds[-1]), numbers(c, kinds[0]), strict=True)
        return [clamped(x * y + z, kinds[0]) for x, y, z in triples]
    pairs = zip(numbers(a, kinds[0]), numbers(b, kinds[0]), strict=True)
    return [clamped(x - y if "_sub_" in name else x + y, kinds[0]) for x, y in pairs]


def both_halves(name: str, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> list[int]:
    low = wanted(name, a, b, c)
    high = wanted(name, a >> 16, b >> 16, c >> 16)
    return [x | y << 16 for x, y in zip(low, high, strict=True)]


@pytest.mark.parametrize(
    ("processor", "names"),
    [
        ("gfx90a", "v_add_u16 v_add_i16 v_sub_u16 v_sub_i16 v_add_u32 v_sub_i32 v_mad_u16 v_mad_i16 v_mad_u32_u24"),
        ("gfx1100", "v_add_nc_u16 v_add_nc_i16 v_sub_nc_u16 v_sub_nc_i16 v_mad_u32_u16 v_mad_i32_i16 v_mad_i32_i24"),
        ("gfx90a", "v_pk_add_u16 v_pk_add_i16 v_pk_sub_u16 v_pk_sub_i16 v_pk_mad_u16 v_pk_mad_i16"),
    ],
)
def test_results_are_clamped(machine: Machine, processor: str, names: str) -> None:
    tool = next(tool for tool in find_tools("llvm-mc", Surroundings()) if knows(tool, processor))
    lanes = 64 if processor == "gfx90a" else 32
    random = np.random.default_rng(5)
    for name in names.split():
        state = State(lanes)
        for register in (1, 2, 3):
            state.vectors[register] = random.choice(_EDGES, lanes)
        a, b, c = (state.vectors[register].copy() for register in (1, 2, 3))
        operands = "v0, v1, v2, v3" if "mad" in name else "v0, v1, v2"
        command = [str(tool), "-arch=amdgcn", f"-mcpu={processor}", "-show-encoding"]
        text = subprocess.run(
            command, input=f"{name} {operands} clamp\n", capture_output=True, text=True, check=True
        ).stdout
        code = bytes(int(byte, 16) for byte in re.findall(r"0x([0-9a-f]{2})", text.split("encoding:")[1]))
        machine.execute(processor, code, state)
        expected = both_halves(name, a, b, c) if "_pk_" in name else wanted(name, a, b, c)
        mask = 0xFFFF if name.endswith("16") and "_pk_" not in name and "32" not in name else 0xFFFFFFFF
        assert (state.vectors[0] & mask).tolist() == expected, name
