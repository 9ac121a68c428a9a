"""Dual instructions (VOPD): both halves read their registers before either writes, and do what single ones do."""

from __future__ import annotations

import itertools
from zlib import crc32

import numpy as np
import pytest

from scripts.instructions.machine import EXEC, VCC, Machine, State
from scripts.instructions.tables import VECTOR, instructions

pytestmark = pytest.mark.toolchain

CASES: dict[str, tuple[str, dict[int, tuple[int, ...]]]] = {
    # mov v0, v1 :: mov v1, v0
    "swap": ("010110ca00010000", {0: (1,), 1: (0,)}),
    # mov v0, v1 :: mov v3, v0
    "second_reads": ("010110ca00010200", {0: (1,), 3: (0,)}),
    # mov v1, v2 :: mov v0, v1
    "second_reads_the_odd_one": ("020110ca01010001", {1: (2,), 0: (1,)}),
    # mov v1, v0 :: add_nc_u32 v0, v1, v2
    "each_reads": ("000120ca01050001", {1: (0,), 0: (1, 2)}),
    # mov v2, v1 :: mov v3, v0
    "apart": ("010110ca00010202", {2: (1,), 3: (0,)}),
}
"""Machine code, and for each result the registers whose sum it is."""


@pytest.mark.parametrize("processor", ["gfx1100", "gfx1201"])
@pytest.mark.parametrize("case", CASES)
def test_both_halves_read_before_either_writes(machine: Machine, case: str, processor: str) -> None:
    code, sums = CASES[case]
    state = State(32)
    state.vectors[:8] = np.random.default_rng(7).integers(0, 1 << 32, (8, 32), dtype=np.uint32)
    state.scalars[EXEC] = 0x0FF0FF0F
    before = state.vectors.copy()
    machine.execute(processor, bytes.fromhex(code), state)
    active = (0x0FF0FF0F >> np.arange(32) & 1).astype(bool)
    expected = before.copy()
    for result, sources in sums.items():
        expected[result] = np.where(active, before[list(sources)].sum(axis=0, dtype=np.uint32), before[result])
    np.testing.assert_array_equal(state.vectors[:256], expected[:256])


HALVES = {
    0: "v_fmac_f32", 1: "v_fmaak_f32", 2: "v_fmamk_f32", 3: "v_mul_f32", 4: "v_add_f32", 5: "v_sub_f32",
    6: "v_subrev_f32", 7: "v_mul_dx9_zero_f32", 8: "v_mov_b32", 9: "v_cndmask_b32", 10: "v_max_f32", 11: "v_min_f32",
    12: "v_dot2acc_f32_f16", 16: "v_add_nc_u32", 17: "v_lshlrev_b32", 18: "v_and_b32",
}  # fmt: skip
"""The operations of the halves by their codes; the last three of the second half only."""
LITERAL = 0x40490FDB
_WITH_LITERAL = ("v_fmaak_f32", "v_fmamk_f32")


def dual(x: int, y: int, sources: tuple[int, int, int, int], results: tuple[int, int]) -> bytes:
    """Return a dual instruction; results are an even and an odd register, in any order."""
    code = sources[0] | sources[1] << 9 | y << 17 | x << 22 | 0b110010 << 26
    code |= sources[2] << 32 | sources[3] << 41 | results[1] >> 1 << 49 | results[0] << 56
    literal = any(HALVES[one] in _WITH_LITERAL for one in (x, y)) or 255 in (sources[0], sources[2])
    return code.to_bytes(8, "little") + (LITERAL.to_bytes(4, "little") if literal else b"")


def single(processor: str, operation: int, src0: int, vsrc1: int, vdst: int) -> bytes:
    """Return the instruction of one half alone."""
    name = HALVES[operation]
    if processor == "gfx1201" and name in ("v_max_f32", "v_min_f32"):
        name = name.replace("_f32", "_num_f32")
    found = [one for one in instructions(processor) if one.mnemonic == name and one.format.size == 32]
    fields = {"src0": src0, "vsrc1": vsrc1, "vdst": vdst}
    code = found[0].encoded({key: value for key, value in fields.items() if key in found[0].format.fields})
    return code + (LITERAL.to_bytes(4, "little") if name in _WITH_LITERAL or src0 == 255 else b"")


def start(seed: int) -> State:
    """Return registers with numbers of moderate size, and some of all kinds."""
    rng, state = np.random.default_rng(seed), State(32)
    state.vectors[:32] = rng.standard_normal((32, 32)).astype(np.float32).view(np.uint32)
    state.vectors[:32, ::5] = rng.integers(0, 0x7F800000, (32, 7), dtype=np.uint32)
    state.scalars[:32] = rng.standard_normal(32).astype(np.float32).view(np.uint32)
    state.scalars[EXEC], state.scalars[VCC] = 0xA0F7FF3D, rng.integers(0, 1 << 32)
    return state


@pytest.mark.parametrize("processor", ["gfx1100", "gfx1201"])
@pytest.mark.parametrize("x", [code for code in HALVES if code < 16], ids=HALVES.get)
def test_halves_do_what_single_instructions_do(machine: Machine, processor: str, x: int) -> None:
    known = [code for code in HALVES if code != 12 or processor == "gfx1100"]  # gfx1201 has it in pairs only
    if x not in known:
        pytest.skip(f"{processor} has no single {HALVES[x]}")
    wrong = []
    for y, overlap in itertools.product(known, (False, True)):
        seed = crc32(f"{x} {y} {overlap}".encode())
        rng = np.random.default_rng(seed)
        registers = rng.permutation(8 if overlap else 32).tolist()
        first = [VECTOR + registers[0], registers[1], 240 + registers[0] % 8][
            seed % 3
        ]  # a register, a scalar, a number
        sources = (first, registers[2], VECTOR + registers[3], registers[4])
        even, odd = (next(one for one in registers[5:] + registers if one % 2 == parity) for parity in (0, 1))
        results = (even, odd) if seed & 8 else (odd, even)
        both, alone_x, alone_y = (start(seed) for _ in range(3))
        machine.execute(processor, dual(x, y, sources, results), both)
        machine.execute(processor, single(processor, x, sources[0], sources[1], results[0]), alone_x)
        machine.execute(processor, single(processor, y, sources[2], sources[3], results[1]), alone_y)
        expected = start(seed).vectors
        expected[results[0]], expected[results[1]] = alone_x.vectors[results[0]], alone_y.vectors[results[1]]
        if not np.array_equal(both.vectors[:256], expected[:256]):
            wrong.append((HALVES[y], overlap))
    assert wrong == []
