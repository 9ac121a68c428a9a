"""Matrix instructions against products of numpy, through AMD's documented layouts of their operands.

The layouts are those of AMD's matrix instruction calculator: where an element of A, B, D and of the indexes of sparse
matrices is, as functions of row, column, depth and block.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias
from zlib import crc32

import numpy as np
import pytest
from numpy.typing import NDArray

from scripts.instructions.machine import Machine, State
from scripts.instructions.tables import VECTOR, Instruction, instructions

pytestmark = pytest.mark.toolchain

TARGETS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")
_NAME = re.compile(
    r"v_(mfma|smfmac|wmma|swmmac)_(f32|f64|i32|f16|bf16)_(\d+)x(\d+)x(\d+)_?(?:(\d+)b_)?"
    r"(xf32|f32|f64|bf16|f16|iu8|i8|iu4|fp8|bf8)(?:_(fp8|bf8))?(_1k)?"
)
_BITS = {"f64": 64, "f32": 32, "xf32": 32, "i32": 32, "f16": 16, "bf16": 16, "iu4": 4}
A, B, C, D = 32, 96, 160, 288  # registers of the operands
Values: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Form:
    """An instruction, and its modifiers."""

    instruction: Instruction
    processor: str
    lanes: int
    values: Mapping[str, int]

    @property
    def label(self) -> str:
        """Return the name of a failing test."""
        return f"{self.processor}-{self.instruction.name}-{self.lanes}-{dict(self.values)}"


def forms(processor: str) -> Iterator[Form]:
    """Yield each instruction of a processor, with the modifiers that change its result."""
    for instruction in instructions(processor):
        match = _NAME.fullmatch(instruction.name)
        if match is None:
            continue
        if processor.startswith("gfx9"):
            yield from (Form(instruction, processor, 64, values) for values in gfx9_modifiers(instruction, match))
            continue
        for lanes in (32, 64):
            yield from (Form(instruction, processor, lanes, v) for v in wmma_modifiers(processor, match, lanes))


def gfx9_modifiers(instruction: Instruction, match: re.Match[str]) -> Iterator[Mapping[str, int]]:
    yield {}
    if match[2] == "f64":
        return
    if match[1] == "smfmac":
        index_bits = int(match[5]) * int(match[3]) // 64
        yield from ({"abid": 1},) if index_bits < 32 else ()
        return
    words = instruction.slots[0].count
    blocks = words * 64 // (int(match[3]) * int(match[4]))
    if blocks > 1:
        yield {"cbsz": 1, "abid": 1}
    yield from ({"neg": pattern} for pattern in range(1, 8))  # blgp


def wmma_modifiers(processor: str, match: re.Match[str], lanes: int) -> Iterator[Mapping[str, int]]:
    always = {} if processor < "gfx12" else {"op_sel_hi": 3, "op_sel_hi2": 1}
    yield always
    if match[7].startswith("iu"):
        yield from ({**always, "neg": signs} for signs in (1, 2, 3))
    if match[1] == "wmma" and processor < "gfx12" and match[2] in ("f16", "bf16"):
        yield {**always, "op_sel": 4}
    if match[1] == "swmmac" and not (match[7] == "iu4" and match[5] == "64" and lanes == 32):
        yield {**always, "op_sel": 1}


def decoded(kind: str, bits: NDArray[np.uint64], processor: str, signed: bool) -> Values:
    """Return the numbers that codes of a type stand for."""
    if kind in ("f64", "f32", "f16"):
        unsigned, real = {
            "f64": (np.uint64, np.float64),
            "f32": (np.uint32, np.float32),
            "f16": (np.uint16, np.float16),
        }[kind]
        return bits.astype(unsigned).view(real).astype(np.float64)
    if kind == "bf16":
        return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if kind == "xf32":
        words = bits.astype(np.uint32)
        return ((words + 0xFFF + (words >> 13 & 1)) & ~np.uint32(0x1FFF)).view(np.float32).astype(np.float64)
    if kind in ("i8", "iu8", "iu4", "i32"):
        width = _BITS.get(kind, 8)
        values = bits.astype(np.int64)
        return np.where(signed & (values >> (width - 1) == 1), values - (1 << width), values).astype(np.float64)
    mantissa_bits = 3 if kind == "fp8" else 2
    bias = {"fp8": 7, "bf8": 15}[kind] + (processor == "gfx942")
    codes = bits.astype(np.int64)
    exponent, mantissa = codes >> mantissa_bits & (0x7F >> mantissa_bits), codes & ((1 << mantissa_bits) - 1)
    size = np.where(exponent > 0, 1.0, 0.0) + mantissa / (1 << mantissa_bits)
    return np.where(codes >> 7 == 1, -1.0, 1.0) * size * np.exp2(np.maximum(exponent, 1) - float(bias))


def random_codes(rng: np.random.Generator, kind: str, shape: tuple[int, ...]) -> NDArray[np.uint64]:
    """Return codes of numbers of moderate size; none is denormal."""
    numbers = rng.uniform(0.1, 2, shape) * rng.choice((-1, 1), shape)
    if kind == "f64":
        return numbers.view(np.uint64)
    if kind in ("f32", "xf32"):
        return numbers.astype(np.float32).view(np.uint32).astype(np.uint64)
    if kind == "f16":
        return numbers.astype(np.float16).view(np.uint16).astype(np.uint64)
    if kind == "bf16":
        return (numbers.astype(np.float32).view(np.uint32) >> 16).astype(np.uint64)
    if kind in ("fp8", "bf8"):  # from 1/8 to 8 in size
        bits = 3 if kind == "fp8" else 2
        middle = {"fp8": 7, "bf8": 15}[kind]
        code = (rng.integers(middle - 2, middle + 3, shape) << bits) | rng.integers(0, 1 << bits, shape)
        return (code | rng.integers(0, 2, shape) << 7).astype(np.uint64)
    if kind == "i32":
        return rng.integers(0, 1 << 20, shape).astype(np.uint64)
    return rng.integers(0, 1 << _BITS.get(kind, 8), shape).astype(np.uint64)


class Layout:
    """Where the elements of a form's matrices are: (lane, first bit)."""

    def __init__(self, form: Form, match: re.Match[str]) -> None:
        self.kind = match[1]
        self.rows, self.columns, self.depth = int(match[3]), int(match[4]), int(match[5])
        self.a, self.result = match[7], match[2]
        self.b = match[8] or match[7]
        self.lanes, self.gfx9 = form.lanes, form.processor.startswith("gfx9")
        self.gfx11 = form.processor.startswith("gfx11")
        self.sparse = self.kind in ("smfmac", "swmmac")
        words = form.instruction.slots[0].count // (2 if self.result == "f64" else 1)
        self.blocks = words * 64 // (self.rows * self.columns) if self.gfx9 else 1
        self.modifiers = form.values
        self.bits = _BITS.get(self.a, 8)

    def dense(self, i: int, k: int, block: int) -> tuple[int, int]:
        """The place of element k of row or column i, of A if it is not sparse or of B."""
        if self.gfx9:
            in_lane = self.depth * self.rows * self.blocks // 64
            return i + self.rows * (block + self.blocks * (k // in_lane)), k % in_lane * self.bits
        if self.gfx11:
            return i, k * self.bits
        if not self.sparse:  # of gfx12, the order along k is the same for A and B, which is all that matters
            in_lane = max(self.depth * 16 // self.lanes, 8 if self.bits == 4 else 1)
            return i + 16 * (k // in_lane), k % in_lane * self.bits
        if self.lanes == 32:
            if self.bits == 16:
                return 16 * (k // 8 % 2) + i, (k % 8 + 8 * (k // 16)) * 16
            in_lane = self.depth // 2
            return 16 * (k // in_lane) + i, k % in_lane * self.bits
        if self.bits == 16:
            return 16 * (k // 8) + i, k % 8 * 16
        part = self.depth // 4
        return 32 * (k // part % 2) + 16 * (k // (2 * part)) + i, k % part * self.bits

    def stored(self, i: int, pair: int) -> tuple[int, int]:
        """The place of the first of two elements of sparse A for k from 4 * pair to 4 * pair + 3, in elements."""
        k = 4 * pair
        if self.gfx9:
            in_lane = self.depth * self.rows // 2 // 64
            return i + self.rows * (2 * pair // in_lane), 2 * pair % in_lane
        if self.bits == 4 and self.depth == 32 and self.lanes == 64:
            return 16 * (k // 16) + i, 2 * (pair % 4)
        lane, first = self.dense(i, k, 0)
        return lane, first // self.bits // 2

    def place(self, row: int, column: int, block: int) -> tuple[int, int]:
        """The lane and the first bit of an element of the result."""
        if self.gfx9:
            return self._mfma_place(row, column, block)
        width = _BITS[self.result]
        if self.gfx11:
            rows = self.lanes // 16
            return 16 * (row % rows) + column, row // rows * 32 + (16 if self.modifiers.get("op_sel") == 4 else 0)
        if self.lanes == 32:
            return 16 * (row // 8) + column, row % 8 * width
        return 32 * (row // 4 % 2) + 16 * (row // 8) + column, row % 4 * width

    def _mfma_place(self, row: int, column: int, block: int) -> tuple[int, int]:
        width = _BITS[self.result]
        height = 1 if width == 64 else 4
        strips = 64 // self.columns
        together = max(1, 64 // (self.columns * self.rows // height))
        register = block * (self.rows * self.columns // 64) + row // (height * strips) * height + row % height
        lane = block % together * self.columns + row // height % strips * together * self.columns + column
        return lane, register * width


def put(state: State, register: int, lane: int, bit: int, width: int, value: int) -> None:
    if width == 64:
        state.vectors[register + bit // 32, lane] = value & 0xFFFFFFFF
        state.vectors[register + bit // 32 + 1, lane] = value >> 32
    else:
        state.vectors[register + bit // 32, lane] |= np.uint32(value << bit % 32)


def got(state: State, register: int, lane: int, bit: int, width: int) -> int:
    word = int(state.vectors[register + bit // 32, lane])
    if width == 64:
        return word | int(state.vectors[register + bit // 32 + 1, lane]) << 32
    return word >> bit % 32 & ((1 << width) - 1)


def b_lane(lane: int, pattern: int) -> int:
    """The lane that a lane takes its part of B from, by blgp."""
    patterns: tuple[Callable[[int], int], ...] = (
        lambda lane: lane, lambda lane: lane % 32, lambda lane: lane % 32 + 32, lambda lane: (lane + 16) % 64,
        lambda lane: lane % 16, lambda lane: lane % 16 + 16, lambda lane: lane % 16 + 32, lambda lane: lane % 16 + 48,
    )  # fmt: skip
    return patterns[pattern](lane)


def check(machine: Machine, form: Form) -> None:
    """Multiply random matrices."""
    match = _NAME.fullmatch(form.instruction.name)
    assert match is not None
    layout = Layout(form, match)
    rng = np.random.default_rng(crc32(form.label.encode()))
    state = State(form.lanes)
    rows, columns, depth, blocks = layout.rows, layout.columns, layout.depth, layout.blocks
    a = random_codes(rng, layout.a, (blocks, rows, depth))
    b = random_codes(rng, layout.b, (blocks, depth, columns))
    c = random_codes(rng, layout.result, (blocks, rows, columns))
    signs = form.values.get("neg", 0) if layout.a.startswith("iu") else 3
    left = decoded(layout.a, a, form.processor, bool(signs & 1))
    right = decoded(layout.b, b, form.processor, bool(signs & 2))
    if layout.sparse:
        left = put_sparse(state, layout, a, left, rng)
    # What is in B's registers, by lane, so that patterns can move it.
    seen = np.zeros_like(right)
    holder: dict[tuple[int, int], tuple[int, int, int]] = {}
    for block in range(blocks):
        for k in range(depth):
            for column in range(columns):
                lane, bit = layout.dense(column, k, block)
                holder[lane, bit] = (block, k, column)
                put(state, B, lane, bit, layout.bits, int(b[block, k, column]))
            if not layout.sparse:
                for row in range(rows):
                    put(state, A, *layout.dense(row, k, block), layout.bits, int(a[block, row, k]))
    pattern = form.values.get("neg", 0) if layout.kind == "mfma" and layout.result != "f64" else 0
    for (lane, bit), (block, k, column) in holder.items():
        seen[block, k, column] = right[holder[b_lane(lane, pattern), bit]]
    width = _BITS[layout.result]
    for block, row, column in np.ndindex(blocks, rows, columns):
        put(state, D if layout.sparse else C, *layout.place(row, column, block), width, int(c[block, row, column]))
    run_and_compare(machine, form, layout, state, left, seen, decoded(layout.result, c, form.processor, True))


def put_sparse(state: State, layout: Layout, a: NDArray[np.uint64], values: Values, rng: np.random.Generator) -> Values:
    """Put two of each four elements of A into registers, and their indexes; return A with zeros for the others."""
    dense = np.zeros_like(values)
    in_lane = max(layout.stored(0, pair)[1] for pair in range(layout.depth // 4)) + 2
    shift = 2 * in_lane * (layout.modifiers.get("abid", 0) or layout.modifiers.get("op_sel", 0))
    for row in range(layout.rows):
        for pair in range(layout.depth // 4):
            chosen = sorted(rng.choice(4, 2, replace=False))
            lane, first = layout.stored(row, pair)
            for i, which in enumerate(chosen):
                k = 4 * pair + which
                dense[0, row, k] = values[0, row, k]
                put(state, A, lane, (first + i) * layout.bits, layout.bits, int(a[0, row, k]))
                put(state, C, lane, shift + 2 * (first + i), 2, int(which))
    return dense


def run_and_compare(
    machine: Machine, form: Form, layout: Layout, state: State, left: Values, right: Values, addend: Values
) -> None:
    values = {"src0": VECTOR + A, "src1": VECTOR + B, "src2": VECTOR + C, "vdst": D % VECTOR, **form.values}
    if layout.gfx9:  # the result is in AGPRs, and so is what it is added to
        values["acc_cd"] = 1
        state.vectors[VECTOR + D % VECTOR : VECTOR + D % VECTOR + 64] = state.vectors[D : D + 64]
        if not layout.sparse:
            state.vectors[VECTOR + C : VECTOR + C + 64] = state.vectors[C : C + 64]
    else:
        values["vdst"] = 200
        state.vectors[200:232] = state.vectors[D : D + 32]
    machine.execute(form.processor, form.instruction.encoded(values), state)
    order = [
        (block >> form.values.get("cbsz", 0) << form.values.get("cbsz", 0))
        + (0 if layout.sparse else form.values.get("abid", 0))
        for block in range(layout.blocks)
    ]
    expected = left[order] @ right + addend
    size = np.abs(left[order]) @ np.abs(right) + np.abs(addend)
    start, width = (VECTOR + D % VECTOR if layout.gfx9 else 200), _BITS[layout.result]
    codes = np.empty(expected.shape, np.uint64)
    for block, row, column in np.ndindex(*expected.shape):
        codes[block, row, column] = got(state, start, *layout.place(row, column, block), width)
    actual = decoded(layout.result, codes, form.processor, True)
    tolerance = {"f64": 1e-15, "f32": 3e-6, "i32": 0, "f16": 1e-3, "bf16": 8e-3}[layout.result] * size
    assert np.all(np.abs(actual - expected) <= tolerance)


@pytest.mark.parametrize("processor", TARGETS)
def test_products_are_those_of_numpy(machine: Machine, processor: str) -> None:
    failed, count = [], 0
    for form in forms(processor):
        count += 1
        try:
            check(machine, form)
        except AssertionError:
            failed.append(form.label)
    assert failed == []
    assert count >= 20
