"""Products of numbers of 8, 6 and 4 bits with block scales (gfx950), against numpy in double precision."""

from __future__ import annotations

import itertools
from typing import TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

from scripts.instructions.machine import Machine, State
from scripts.instructions.tables import VECTOR, instructions

pytestmark = pytest.mark.toolchain

# Exponent bits, mantissa bits, bias: of fp8, bf8, fp6, bf6 and fp4, in the order of their codes.
FORMATS = ((4, 3, 7), (5, 2, 15), (2, 3, 1), (3, 2, 3), (2, 1, 1))
PAIRS = list(itertools.product(range(5), range(5)))
Numbers: TypeAlias = NDArray[np.float64]


def value(code: int, kind: int) -> float:
    """Return the number that a code is; no code here is infinite or NaN."""
    exponent_bits, mantissa_bits, bias = FORMATS[kind]
    mantissa, exponent = code & (1 << mantissa_bits) - 1, code >> mantissa_bits & (1 << exponent_bits) - 1
    size = mantissa * 2.0 ** (1 - bias - mantissa_bits)
    if exponent:
        size = (1 + mantissa / (1 << mantissa_bits)) * 2.0 ** (exponent - bias)
    return -size if code >> exponent_bits + mantissa_bits else size


def random_codes(rng: np.random.Generator, rows: int, depth: int, kind: int) -> NDArray[np.int64]:
    exponent_bits, mantissa_bits, _ = FORMATS[kind]
    bits = 1 + exponent_bits + mantissa_bits
    codes = rng.integers(0, 1 << bits, (rows, depth))
    if kind < 2:  # the largest exponents are infinite or NaN
        codes &= ~(1 << mantissa_bits + exponent_bits - 1)
    return codes


def put_numbers(state: State, register: int, codes: NDArray[np.int64], kind: int) -> None:
    """Write a matrix to the registers of all lanes; 8-bit numbers are there 16 by 16, others 32 by 32."""
    rows, depth = codes.shape
    bits, groups = 1 + sum(FORMATS[kind][:2]), 64 // rows
    for lane in range(64):
        row, group = lane % rows, lane // rows
        run = 16 if bits == 8 else 32
        starts = [group * run + part * run * groups for part in range(32 // run)]
        held = [int(codes[row, start + i]) for start in starts for i in range(run)]
        word = sum(code << bits * i for i, code in enumerate(held))
        for i in range(bits):
            state.vectors[register + i, lane] = word >> 32 * i & 0xFFFFFFFF
    assert depth == 32 * groups


def put_scales(state: State, register: int, codes: NDArray[np.int64], byte: int, rng: np.random.Generator) -> None:
    """Write scales of rows and blocks of 32 numbers to one byte, with other ones beside them."""
    rows = codes.shape[0]
    for lane in range(64):
        noise = int(rng.integers(0, 1 << 32)) & ~(0xFF << 8 * byte)
        state.vectors[register, lane] = noise | int(codes[lane % rows, lane // rows]) << 8 * byte


def addend(state: State, size: int, register: int) -> Numbers:
    """Return C or D: four rows are in the registers of a lane, the next four in those of other lanes."""
    found = np.zeros((size, size))
    for row, column in itertools.product(range(size), range(size)):
        lane = row // 4 % (64 // size) * size + column
        word = row // (4 * (64 // size)) * 4 + row % 4
        found[row, column] = state.vectors[register + word, lane : lane + 1].view(np.float32)[0]
    return found


def code_of(size: int, a: int, b: int, select: tuple[int, int] | None) -> bytes:
    """Return the instruction, with scales in v24 (A) and v25 (B) if their bytes are given."""
    by_name = {one.name: one for one in instructions("gfx950")}
    name = "v_mfma_f32_16x16x128_f8f6f4" if size == 16 else "v_mfma_f32_32x32x64_f8f6f4"
    fields = {"vdst": 60, "src0": VECTOR + 8, "src1": VECTOR + 16, "src2": VECTOR + 40, "cbsz": a, "neg": b}
    product = by_name[name].encoded(fields)
    if select is None:
        return product
    scales = {"src0": VECTOR + 24, "src1": VECTOR + 25, "op_sel": select[0], "op_sel_hi": select[1]}
    return by_name["v_mfma_ld_scale_b32"].encoded(scales) + product


@pytest.mark.parametrize("size", [16, 32])
@pytest.mark.parametrize(("a", "b"), PAIRS, ids=[f"{a}{b}" for a, b in PAIRS])
@pytest.mark.parametrize("scaled", [False, True], ids=["plain", "scaled"])
def test_products_are_those_of_numpy(machine: Machine, size: int, a: int, b: int, scaled: bool) -> None:
    rng = np.random.default_rng(100 * a + 10 * b + size)
    depth = 2048 // size
    codes = [random_codes(rng, size, depth, kind) for kind in (a, b)]
    scales = [rng.integers(120, 135, (size, depth // 32)) for _ in range(2)]
    select = (int(rng.integers(0, 4)), int(rng.integers(0, 4))) if scaled else None
    state = State(64)
    state.vectors[:256] = rng.standard_normal((256, 64)).astype(np.float32).view(np.uint32)
    for register, kind, matrix in ((8, a, codes[0]), (16, b, codes[1])):
        put_numbers(state, register, matrix, kind)
    if select is not None:
        put_scales(state, 24, scales[0], select[0], rng)
        put_scales(state, 25, scales[1], select[1], rng)
    factors = [np.vectorize(value)(matrix, kind) for matrix, kind in zip(codes, (a, b), strict=True)]
    if scaled:
        factors = [
            one * np.repeat(2.0 ** (scale - 127.0), 32, axis=1) for one, scale in zip(factors, scales, strict=True)
        ]
    expected = factors[0] @ factors[1].T + addend(state, size, 40)
    machine.execute("gfx950", code_of(size, a, b, select), state)
    scale = np.abs(factors[0]) @ np.abs(factors[1]).T + 1
    np.testing.assert_allclose(addend(state, size, 60) / scale, expected / scale, atol=3e-6, rtol=0)


def test_the_encoding_is_that_of_llvm(machine: Machine) -> None:
    # llvm/test/MC/AMDGPU/mai-gfx950.s: v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[4:11], v[12:19], a[20:23], v24, v25
    scales, product = bytes.fromhex("0000acd318330200"), bytes.fromhex("0080add304195204")
    assert machine.name("gfx950", scales + bytes(8)) == "v_mfma_ld_scale_b32"
    assert machine.operands("gfx950", scales + bytes(8)) == ["v24:1", "v25:1"]
    assert machine.name("gfx950", product + bytes(8)) == "v_mfma_f32_16x16x128_f8f6f4"
    assert machine.operands("gfx950", product + bytes(8)) == ["a0:4", "v4:8", "v12:8", "a20:4"]


def test_a_scale_of_all_ones_is_nan(machine: Machine) -> None:
    state = State(64)
    state.vectors[24:26] = 0x7F7F7F7F
    state.vectors[24, 3] = 0xFF
    machine.execute("gfx950", code_of(16, 4, 4, (0, 0)), state)
    found = addend(state, 16, 60)
    assert np.isnan(found[3]).all()
    assert not np.isnan(np.delete(found, 3, axis=0)).any()
