"""The emulated matrix instructions compared with products of whole matrices, in AMD's published layouts."""

from __future__ import annotations

import itertools
import re
import subprocess
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy
import pytest

from tests.cpu.conftest import PROGRAMS, Builder, Built

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

Array = numpy.ndarray[Any, Any]

# Elements of A that a lane has, by the end of the name; f16 and bf16_1k come in fours, bf16 in twos.
PER_LANE = {"f32": 1, "f16": 4, "bf16": 2, "bf16_1k": 4, "i8": 4, "_i8": 8, "f64": 1}
ELEMENTS = {"f16": numpy.float16, "f32": numpy.float32, "f64": numpy.float64, "i8": numpy.int8}


@dataclass(frozen=True)
class Instruction:
    """A matrix instruction, parsed from its name: sums, size, depth, elements."""

    name: str

    @property
    def parts(self) -> tuple[str, int, int, str]:
        match = re.fullmatch(r"(\w\d\d)_(\d+)x\d+x(\d+)(\w+?)(?:_w32.*)?", self.name)
        assert match, self.name
        return match[1], int(match[2]), int(match[3]), match[4]

    @property
    def wmma(self) -> bool:
        return "_w32" in self.name

    @property
    def lanes(self) -> int:
        return 32 if self.wmma else 64

    @property
    def blocks(self) -> int:
        _, size, depth, elements = self.parts
        return 1 if self.wmma else 64 * PER_LANE[elements] // (size * depth)

    @property
    def bits(self) -> int:
        return 4 if "iu4" in self.name else 8 if "8" in self.parts[3] else int(self.parts[3].lstrip("_bf")[:2])

    def left(self, i: int, k: int, block: int) -> tuple[int, int]:
        """Return lane and register index of A[i][k], which are also those of B[k][i]."""
        _, size, depth, elements = self.parts
        if not self.wmma and elements == "f64":
            return (4 * block + 16 * k + i if size == 4 else 16 * k + i), 0
        if not self.wmma and self.blocks > 1:
            return size * block + i, k
        if not self.wmma:
            return size * (k // PER_LANE[elements]) + i, k % PER_LANE[elements]
        if not self.name.endswith("_gfx12"):
            return i, k
        if "f16" in elements:
            return 16 * (k // 4 % 2) + i, 4 * (k // 8) + k % 4
        return 16 * (k // (depth // 2)) + i, k % (depth // 2)

    def sum(self, i: int, j: int, block: int) -> tuple[int, int]:
        """Return lane and register index of D[i][j]."""
        sums, size, _, _ = self.parts
        if self.wmma:
            return (16 * (i // 8) + j, i % 8) if self.name.endswith("_gfx12") else (16 * (i % 2) + j, i // 2)
        if sums == "f64":
            return (16 * (i % 4) + 4 * block + j, 0) if size == 4 else (16 * (i % 4) + j, i // 4)
        if size == 32:
            return 32 * (i // 4) % 64 + j, 16 * block + 4 * (i // 8) + i % 4
        return (16 * (i // 4) + j, 4 * block + i % 4) if size == 16 else (4 * block + j, i)


_MFMA = [
    *("f32_32x32x1f32", "f32_16x16x1f32", "f32_4x4x1f32", "f32_32x32x2f32", "f32_16x16x4f32"),
    *("f32_32x32x4f16", "f32_16x16x4f16", "f32_4x4x4f16", "f32_32x32x8f16", "f32_16x16x16f16"),
    *("f32_32x32x2bf16", "f32_16x16x2bf16", "f32_4x4x2bf16", "f32_32x32x4bf16", "f32_16x16x8bf16"),
    *("f32_32x32x4bf16_1k", "f32_16x16x4bf16_1k", "f32_4x4x4bf16_1k", "f32_32x32x8bf16_1k", "f32_16x16x16bf16_1k"),
    *("i32_32x32x4i8", "i32_16x16x4i8", "i32_4x4x4i8", "i32_32x32x8i8", "i32_16x16x16i8"),
    *("i32_32x32x16_i8", "i32_16x16x32_i8", "f64_16x16x4f64", "f64_4x4x4f64"),
]
_WMMA = [
    *("f32_16x16x16_f16_w32", "f32_16x16x16_bf16_w32", "i32_16x16x16_iu8_w32", "i32_16x16x16_iu4_w32"),
    *("f32_16x16x16_f16_w32_gfx12", "f32_16x16x16_bf16_w32_gfx12", "i32_16x16x16_iu8_w32_gfx12"),
    *("i32_16x16x16_iu4_w32_gfx12", "i32_16x16x32_iu4_w32_gfx12"),
]


def packed(instruction: Instruction, matrices: Array) -> bytes:
    """Return matrices A [block][row][k] as the registers of all lanes; bfloat16 and integers as bits."""
    bits = instruction.bits
    per_lane = 1 + max(instruction.left(i, k, b)[1] for b, i, k in numpy.ndindex(matrices.shape))
    lanes = numpy.zeros((instruction.lanes, per_lane * bits // 8), numpy.uint8)
    repeats = (0, 16) if instruction.wmma and not instruction.name.endswith("_gfx12") else (0,)
    for (block, i, k), repeat in itertools.product(numpy.ndindex(matrices.shape), repeats):
        lane, item = instruction.left(i, k, block)
        value = matrices[block, i, k]
        if bits == 4:
            lanes[lane + repeat, item // 2] |= (int(value) & 15) << (4 * (item % 2))
        else:
            lanes[lane + repeat, item * bits // 8 : (item + 1) * bits // 8] = numpy.frombuffer(
                value.tobytes(), numpy.uint8
            )
    return lanes.tobytes()


def elements(instruction: Instruction, rng: numpy.random.Generator, shape: tuple[int, ...], signed: bool) -> Array:
    """Return small integers, whose sums are exact, or all integers of the type."""
    kind = instruction.parts[3].lstrip("_")
    if kind.startswith(("iu", "i8")):
        low, high = (-(1 << instruction.bits - 1), 1 << instruction.bits - 1) if signed else (0, 1 << instruction.bits)
        return rng.integers(low, high, shape).astype(numpy.int8 if signed else numpy.uint8)
    whole = rng.integers(-8, 9, shape)
    return whole.astype(ml_dtypes.bfloat16 if kind.startswith("bf16") else ELEMENTS[kind])


def product(instruction: Instruction, program: Built, left: Array, right: Array, sums: Array, *options: int) -> Array:
    """Run the program on matrices, block by block, and return its sums; `right` is transposed."""
    per_lane = 1 + max(instruction.sum(i, j, b)[1] for b, i, j in numpy.ndindex(sums.shape))
    lanes = numpy.zeros((instruction.lanes, per_lane), sums.dtype)
    for block, i, j in numpy.ndindex(sums.shape):
        lanes[instruction.sum(i, j, block)] = sums[block, i, j]
    data = packed(instruction, left) + packed(instruction, right) + lanes.tobytes()
    command = [program.path, instruction.name, *(str(int(option)) for option in options)]
    done = subprocess.run(command, input=data, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr.decode()
    back = numpy.frombuffer(done.stdout, sums.dtype).reshape(lanes.shape)
    result = numpy.empty_like(sums)
    for block, i, j in numpy.ndindex(sums.shape):
        result[block, i, j] = back[instruction.sum(i, j, block)]
    return result


def matrices(instruction: Instruction, signs: tuple[bool, bool] = (True, True)) -> tuple[Array, Array, Array]:
    """Return random A, transposed B, and sums."""
    kind, size, depth, _ = instruction.parts
    rng = numpy.random.default_rng(len(instruction.name) * 1000 + depth)
    shape = (instruction.blocks, size, depth)
    sums = rng.integers(-1000, 1000, (instruction.blocks, size, size))
    as_type = {"f32": numpy.float32, "f64": numpy.float64, "i32": numpy.int32}[kind]
    return (
        elements(instruction, rng, shape, signs[0]),
        elements(instruction, rng, shape, signs[1]),
        sums.astype(as_type),
    )


def exact(left: Array, right: Array, sums: Array) -> Array:
    """Return the product in doubles, which is exact for these numbers."""
    wide: Array = left.astype(numpy.float64) @ right.astype(numpy.float64).transpose(0, 2, 1) + sums
    return wide.astype(sums.dtype)


@pytest.fixture(scope="module")
def wide(built: Builder) -> Built:
    return built([PROGRAMS / "matrix.hip"], "--wave-size", "64", "-O", "1")


@pytest.fixture(scope="module")
def narrow(built: Builder) -> Built:
    return built([PROGRAMS / "matrix.hip"], "--offload-arch", "gfx1100", "-O", "1", "--compiler", "g++")


@pytest.mark.parametrize("name", _MFMA)
def test_mfma(name: str, wide: Built) -> None:
    instruction = Instruction(name)
    left, right, sums = matrices(instruction)
    assert (product(instruction, wide, left, right, sums, 0, 0) == exact(left, right, sums)).all()


@pytest.mark.parametrize(("cbsz", "abid"), [(1, 1), (2, 3), (4, 9)])
def test_blocks_that_share_a(cbsz: int, abid: int, wide: Built) -> None:
    instruction = Instruction("f32_4x4x4f16")
    left, right, sums = matrices(instruction)
    shared = [block >> cbsz << cbsz | abid for block in range(16)]
    assert (product(instruction, wide, left, right, sums, cbsz, abid) == exact(left[shared], right, sums)).all()


def test_unknown_modifiers_are_refused(wide: Built) -> None:
    done = wide.run("f32_16x16x16f16", "1", "0", text="\0" * 64 * 32)
    assert done.returncode == 70
    assert re.search(
        r"__builtin_amdgcn_mfma_f32_16x16x16f16 at \S+ the CPU target does not emulate cbsz 1, abid 0,", done.stderr
    )


@pytest.mark.parametrize("name", _WMMA)
def test_wmma(name: str, narrow: Built) -> None:
    instruction = Instruction(name)
    for signs in itertools.product((True, False), repeat=2):
        left, right, sums = matrices(instruction, signs)
        assert (product(instruction, narrow, left, right, sums, *signs) == exact(left, right, sums)).all()


def test_lanes_that_do_not_repeat_the_others_are_a_mistake(narrow: Built) -> None:
    assert narrow.run("f32_16x16x16_f16_w32", "0", "0", text="\0" * (96 * 32)).returncode == 0
    uneven = "\1" + "\0" * (32 * 32 - 1)
    done = narrow.run("f32_16x16x16_f16_w32", "0", "0", text=uneven + "\0" * (64 * 32))
    assert done.returncode == 70
    assert "lane 16 does not repeat A and B of lane 0" in done.stderr
