"""Rounding and denormal modes as machine code sets them, against exact fractions; clamping and output scales."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from scripts.instructions.machine import Machine, State
from scripts.instructions.tables import VECTOR, Instruction, instructions
from tests.emulate.ieee import F16, F32, F64, Format, Number, added, decoded, encoded, flushed, multiplied

pytestmark = pytest.mark.toolchain

PROCESSORS = ("gfx90a", "gfx1030", "gfx1100", "gfx1201")
Operation = Callable[[list[Number], int], Number]


def _fused(numbers: list[Number], direction: int) -> Number:
    return added(multiplied(numbers[0], numbers[1]), numbers[2], direction)


def _converted(numbers: list[Number], direction: int) -> Number:
    return numbers[0]


OPERATIONS: dict[str, tuple[Operation, int, Format, Format]] = {
    "v_add_f32": (lambda n, d: added(n[0], n[1], d), 2, F32, F32),
    "v_mul_f32": (lambda n, d: multiplied(n[0], n[1]), 2, F32, F32),
    "v_fma_f32": (_fused, 3, F32, F32),
    "v_add_f16": (lambda n, d: added(n[0], n[1], d), 2, F16, F16),
    "v_mul_f16": (lambda n, d: multiplied(n[0], n[1]), 2, F16, F16),
    "v_fma_f16": (_fused, 3, F16, F16),
    "v_add_f64": (lambda n, d: added(n[0], n[1], d), 2, F64, F64),
    "v_mul_f64": (lambda n, d: multiplied(n[0], n[1]), 2, F64, F64),
    "v_fma_f64": (_fused, 3, F64, F64),
    "v_cvt_f16_f32": (_converted, 1, F32, F16),
    "v_cvt_f32_f16": (_converted, 1, F16, F32),
    "v_cvt_f32_f64": (_converted, 1, F64, F32),
}


def named(processor: str, name: str) -> Instruction:
    """Return the longest encoding of an instruction, whose sources may be any registers."""
    found = [one for one in instructions(processor) if one.mnemonic == name]
    if not found:
        pytest.skip(f"{processor} has no {name}")
    return max(found, key=lambda one: (one.format.size, "vsrc1" not in one.format.fields))


def setting(processor: str, mode: int) -> bytes:
    """Return code that sets the rounding and denormal modes."""
    (write,) = (one for one in instructions(processor) if one.name == "s_setreg_imm32_b32")
    return write.encoded({"simm16": 1 | 7 << 11}) + mode.to_bytes(4, "little")


def operation(instruction: Instruction, more: dict[str, int] | None = None) -> bytes:
    """Return code that computes v40 from v8, v16 and v24."""
    values = {"vdst": 40, **(more or {})}
    for slot, register in (("src0", 8), ("src1", 16), ("vsrc1", 16), ("src2", 24)):
        if any(one.name == slot for one in instruction.slots):
            values[slot] = register + (VECTOR if instruction.format.fields[slot][1] == 9 else 0)
    return instruction.encoded(values)


def finite(kind: Format, lanes: int, rng: np.random.Generator) -> list[int]:
    """Return bits of numbers of all sizes: of moderate ones, of ones near the least and the greatest, and denormal."""
    fields = kind.width - 1 - kind.fraction_bits
    exponents = rng.choice(
        [0, 0, 1, 2, 1 << fields - 1, (1 << fields - 1) - 1, (1 << fields - 1) + 3, (1 << fields) - 2], lanes
    )
    fractions = rng.integers(0, 1 << kind.fraction_bits, lanes)
    signs = rng.integers(0, 2, lanes)
    pairs = zip(signs.tolist(), exponents.tolist(), fractions.tolist(), strict=True)
    return [sign << kind.width - 1 | exponent << kind.fraction_bits | fraction for sign, exponent, fraction in pairs]


def put(state: State, register: int, numbers: list[int]) -> None:
    """Write numbers to a register or a pair."""
    state.vectors[register] = np.array([number & 0xFFFFFFFF for number in numbers], np.uint32)
    state.vectors[register + 1] = np.array([number >> 32 for number in numbers], np.uint32)


def results(state: State, kind: Format) -> list[int]:
    low, high = state.vectors[40].tolist(), state.vectors[41].tolist()
    both = [a | b << 32 for a, b in zip(low, high, strict=True)]
    return [bits & ((1 << kind.width) - 1) for bits in both]


def modes() -> Iterator[int]:
    """Yield each direction with the denormal modes, other ones for numbers of 32 bits and for the others."""
    for direction in range(4):
        for denormals in range(4):
            yield direction | (direction + 1) % 4 << 2 | denormals << 4 | (3 - denormals) << 6


def expected(name: str, sources: list[int], mode: int) -> int:
    compute, _, from_kind, to_kind = OPERATIONS[name]
    direction = mode >> (0 if to_kind is F32 else 2) & 3
    read, written = (mode >> (4 if kind is F32 else 6) & 3 for kind in (from_kind, to_kind))
    sources = [bits if read & 1 else flushed(bits, from_kind) for bits in sources]
    bits = encoded(compute([decoded(one, from_kind) for one in sources], direction), to_kind, direction)
    return bits if written & 2 else flushed(bits, to_kind)


@pytest.mark.parametrize("processor", PROCESSORS)
@pytest.mark.parametrize("name", OPERATIONS)
def test_results_are_rounded_as_the_mode_says(machine: Machine, processor: str, name: str) -> None:
    _, count, from_kind, to_kind = OPERATIONS[name]
    code = operation(named(processor, name))
    lanes = 64 if processor == "gfx90a" else 32
    rng = np.random.default_rng(11)
    wrong = []
    for mode in modes():
        state = State(lanes)
        sources = [finite(from_kind, lanes, rng) for _ in range(count)]
        for register, numbers in zip((8, 16, 24), sources, strict=False):
            put(state, register, numbers)
        machine.execute(processor, setting(processor, mode) + code, state)
        for found, *operands in zip(results(state, to_kind), *sources, strict=True):
            known = expected(name, operands, mode)
            if found != known:
                wrong.append((hex(mode), [hex(one) for one in operands], hex(found), hex(known)))
    assert wrong == []


@pytest.mark.parametrize("processor", PROCESSORS[1:])
def test_short_instructions_set_a_part_of_the_mode(machine: Machine, processor: str) -> None:
    by_name = {one.name: one for one in instructions(processor)}
    code = by_name["s_round_mode"].encoded({"simm16": 0b0110}) + by_name["s_denorm_mode"].encoded({"simm16": 0b1001})
    state = State(32)
    machine.execute(processor, code, state)
    assert state.mode & 0xFF == 0b10010110


@pytest.mark.parametrize("processor", PROCESSORS)
def test_the_usual_mode_returns(machine: Machine, processor: str) -> None:
    code = operation(named(processor, "v_add_f32"))
    state = State(64 if processor == "gfx90a" else 32)
    put(state, 8, [0x3F800000] * state.lanes)
    put(state, 16, [1] * state.lanes)
    machine.execute(processor, setting(processor, 0xF1) + setting(processor, 0xF0) + code, state)
    assert set(results(state, F32)) == {0x3F800000}
    machine.execute(processor, setting(processor, 0xF0) + setting(processor, 0xF1) + code, state)
    assert set(results(state, F32)) == {0x3F800001}


@pytest.mark.parametrize("processor", PROCESSORS)
@pytest.mark.parametrize(("name", "kind"), [("v_max_f32", F32), ("v_min_f16", F16), ("v_max_f64", F64)])
def test_minima_and_maxima_flush_denormal_numbers(machine: Machine, processor: str, name: str, kind: Format) -> None:
    newer = name.replace("_f", "_num_f") if processor == "gfx1201" else name
    state = State(64 if processor == "gfx90a" else 32)
    for register in (8, 16):
        put(state, register, [3] * state.lanes)
    code = operation(named(processor, newer))
    machine.execute(processor, setting(processor, 0x00) + code, state)
    assert set(results(state, kind)) == {0}
    machine.execute(processor, setting(processor, 0xF0) + code, state)
    assert set(results(state, kind)) == {3}


@pytest.mark.parametrize("processor", PROCESSORS)
def test_results_are_scaled_only_without_denormal_numbers_and_ieee(machine: Machine, processor: str) -> None:
    code = operation(named(processor, "v_add_f32"), {"omod": 2})
    for mode, expected_bits in ((0x3F0, 0x40400000), (0x0C0, 0x41400000), (0x2C0, 0x40400000)):
        if processor == "gfx1201" and mode == 0x2C0:
            continue  # it has no such bit
        state = State(64 if processor == "gfx90a" else 32)
        state.mode = mode
        put(state, 8, [0x3F800000] * state.lanes)
        put(state, 16, [0x40000000] * state.lanes)
        machine.execute(processor, code, state)
        assert set(results(state, F32)) == {expected_bits}, hex(mode)


@pytest.mark.parametrize("processor", PROCESSORS)
def test_a_bit_of_the_mode_says_whether_nan_is_clamped(machine: Machine, processor: str) -> None:
    code = operation(named(processor, "v_add_f32"), {"clamp": 1})
    for bit, clamped in ((0x100, True), (0, processor == "gfx1201")):
        state = State(64 if processor == "gfx90a" else 32)
        state.mode = 0xF0 | bit
        numbers = [0x7FC00000, 0x40000000, 0xBF800000, 0x3F000000] * (state.lanes // 4)
        put(state, 8, numbers)
        put(state, 16, [0x80000000] * state.lanes)
        machine.execute(processor, code, state)
        assert results(state, F32)[1:4] == [0x3F800000, 0, 0x3F000000]
        assert (results(state, F32)[0] == 0) is clamped
