"""Conversions with numbers of 8, 6 and 4 bits and with bfloat16, against ml_dtypes: all codes, and what is between."""

from __future__ import annotations

import re
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from scripts.instructions.machine import Machine, State
from scripts.instructions.tables import VECTOR, Instruction, instructions

pytestmark = pytest.mark.toolchain

LANES = {"gfx942": 64, "gfx950": 64, "gfx1201": 32}
KINDS: dict[str, dict[str, Any]] = {
    "gfx942": {"fp8": ml_dtypes.float8_e4m3fnuz, "bf8": ml_dtypes.float8_e5m2fnuz},
    "gfx950": {"fp8": ml_dtypes.float8_e4m3fn, "bf8": ml_dtypes.float8_e5m2},
    "gfx1201": {"fp8": ml_dtypes.float8_e4m3fn, "bf8": ml_dtypes.float8_e5m2},
}
"""The formats of each processor."""
SCALED: dict[str, Any] = {
    **KINDS["gfx950"],
    "fp6": ml_dtypes.float6_e2m3fn,
    "bf6": ml_dtypes.float6_e3m2fn,
    "fp4": ml_dtypes.float4_e2m1fn,
    "f32": np.float32,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
}
BITS = {"fp8": 8, "bf8": 8, "fp6": 6, "bf6": 6, "fp4": 4, "f32": 32, "f16": 16, "bf16": 16}
OVERFLOW = 1 << 23
"""The bit of the mode with which numbers that are too large become the largest one."""
Words: TypeAlias = NDArray[np.uint32]
Numbers: TypeAlias = NDArray[np.float64]


def named(processor: str, name: str, size: int = 0) -> Instruction:
    """Return an instruction, in the encoding of so many bits if there is a choice."""
    found = [one for one in instructions(processor) if one.mnemonic == name]
    return next((one for one in found if one.format.size == size), found[0])


def encoded(one: Instruction, select: int = 0) -> bytes:
    """Return code that computes v40 on from v100 on, v140 on and v180, with parts of registers chosen by op_sel."""
    values = {"vdst": 40}
    for slot, register in zip([slot for slot in one.slots if slot.name != "vdst"], (100, 140, 180), strict=False):
        values[slot.name] = register + (VECTOR if one.format.fields[slot.name][1] == 9 else 0)
    if select:
        values["op_sel"] = select
    return one.encoded(values)


def numbers_of(codes: Words, kind: Any) -> Numbers:
    """Return what codes are in a format of 8 bits or fewer, or of 16."""
    bits = codes.astype(np.uint16 if np.dtype(kind).itemsize == 2 else np.uint8)
    return bits.view(kind).astype(np.float64)


def codes_of(values: Numbers, kind: Any) -> Words:
    """Return the nearest codes of numbers."""
    with np.errstate(over="ignore", invalid="ignore"):
        near = values.astype(kind)
    return near.view({1: np.uint8, 2: np.uint16, 4: np.uint32}[near.dtype.itemsize]).astype(np.uint32)


def edges(kind: Any) -> NDArray[np.float32]:
    """Return all numbers of a format, those halfway between two of them, and the neighbours of all of these."""
    codes: Words = np.arange(1 << 8 * np.dtype(kind).itemsize, dtype=np.uint32)
    numbers = numbers_of(codes, kind)
    exact = np.unique(numbers[np.isfinite(numbers)])
    largest = exact[-1]
    last = exact[-1] - exact[-2]
    between = (exact[1:] + exact[:-1]) / 2
    more = np.array([largest + last / 2, largest + last, 2 * largest, 1e30, 0.0])
    all_ = np.concatenate([exact, between, more, -more]).astype(np.float32)
    return np.concatenate([all_, np.nextafter(all_, np.float32(np.inf)), np.nextafter(all_, np.float32(-np.inf))])


def executed(machine: Machine, processor: str, code: bytes, sources: list[Words], mode: int = 0x3F0) -> State:
    """Execute code on rows of registers, one for each lane: those of a source follow each other."""
    state = State(LANES[processor], mode=mode)
    state.vectors[40:80] = 0xABABABAB
    for register, rows in zip((100, 140, 180), sources, strict=False):
        state.vectors[register : register + rows.shape[0], : rows.shape[1]] = rows
    machine.execute(processor, code, state)
    return state


def in_lanes(values: NDArray[np.float32], lanes: int) -> list[Words]:
    """Return the bits of numbers, as many at a time as there are lanes."""
    rest = -len(values) % lanes
    return list(np.pad(values, (0, rest)).view(np.uint32).reshape(-1, lanes))


@pytest.mark.parametrize("kind", ["fp8", "bf8"])
@pytest.mark.parametrize("processor", LANES)
def test_all_codes_become_numbers(machine: Machine, processor: str, kind: str) -> None:
    lanes = LANES[processor]
    pair = named(processor, f"v_cvt_pk_f32_{kind}")
    one = named(processor, f"v_cvt_f32_{kind}")
    for start in range(0, 256, lanes):
        codes: Words = np.arange(start, start + lanes, dtype=np.uint32)
        expected = numbers_of(codes, KINDS[processor][kind])
        found = executed(machine, processor, encoded(one), [codes[None]]).vectors[40].view(np.float32)
        np.testing.assert_array_equal(found, expected)
        both = executed(machine, processor, encoded(pair), [(codes | (255 - codes) << 8)[None]]).vectors
        np.testing.assert_array_equal(both[40].view(np.float32), expected)
        np.testing.assert_array_equal(both[41].view(np.float32), numbers_of(255 - codes, KINDS[processor][kind]))


def is_nan(codes: Words, kind: Any) -> NDArray[np.bool_]:
    return np.isnan(numbers_of(codes, kind))


@pytest.mark.parametrize("saturates", [False, True], ids=["infinite", "saturating"])
@pytest.mark.parametrize("kind", ["fp8", "bf8"])
@pytest.mark.parametrize("processor", LANES)
def test_numbers_become_the_nearest_codes(machine: Machine, processor: str, kind: str, saturates: bool) -> None:
    format_ = KINDS[processor][kind]
    code = encoded(named(processor, f"v_cvt_pk_{kind}_f32"))
    limit = float(ml_dtypes.finfo(format_).max)
    for words in in_lanes(np.append(edges(format_), np.float32(np.nan)), LANES[processor]):
        values = words.view(np.float32).astype(np.float64)
        mode = 0x3F0 | (OVERFLOW if saturates else 0)
        found = executed(machine, processor, code, [words[None], words[None, ::-1]], mode).vectors[40]
        expected = codes_of(np.clip(values, -limit, limit) if saturates else values, format_)
        assert (found >> 16 == 0xABAB).all()
        for part, wanted in ((found & 0xFF, expected), (found >> 8 & 0xFF, expected[::-1])):
            nan = is_nan(wanted, format_)
            np.testing.assert_array_equal(part[~nan], wanted[~nan])
            np.testing.assert_array_equal(is_nan(part, format_), nan)


def test_all_bfloat16_numbers_and_their_neighbours(machine: Machine) -> None:
    code = encoded(named("gfx950", "v_cvt_pk_bf16_f32"))
    whole = np.arange(1 << 16, dtype=np.uint32) << 16
    for words in np.concatenate([whole, whole | 0x7FFF, whole | 0x8000, whole | 0x8001, whole - 1]).reshape(-1, 64):
        found = executed(machine, "gfx950", code, [words[None], words[None]]).vectors[40]
        expected = codes_of(words.view(np.float32), ml_dtypes.bfloat16)
        nan = np.isnan(words.view(np.float32))
        np.testing.assert_array_equal(found[~nan], (expected | expected << 16)[~nan])
        assert np.isnan(numbers_of(found[nan] & 0xFFFF, ml_dtypes.bfloat16)).all()


def unpacked(registers: Words, width: int, count: int) -> Words:
    """Return numbers of `width` bits in registers as rows, one column for each lane."""
    whole = [sum(int(word) << 32 * i for i, word in enumerate(lane)) for lane in registers.T]
    return np.array([[lane >> width * i & (1 << width) - 1 for lane in whole] for i in range(count)], np.uint32)


def packed(codes: Words, width: int) -> Words:
    """Return the registers with numbers in rows."""
    count = -(-codes.shape[0] * width // 32)
    whole = [sum(int(code) << width * i for i, code in enumerate(lane)) for lane in codes.T]
    return np.array([[lane >> 32 * i & 0xFFFFFFFF for lane in whole] for i in range(count)], np.uint32)


def some_codes(kind: str, count: int, rng: np.random.Generator) -> Words:
    """Return codes of finite numbers as rows of 64; those of 16 and 32 bits are of moderate size."""
    if BITS[kind] <= 8:
        codes = rng.integers(0, 1 << BITS[kind], (count, 64)).astype(np.uint32)
        codes[~np.isfinite(numbers_of(codes.ravel(), SCALED[kind]).reshape(codes.shape))] = 0
        return codes
    values = rng.standard_normal((count, 64)) * 2.0 ** rng.integers(-8, 8, (count, 64))
    return codes_of(values, SCALED[kind])


def values_of(codes: Words, kind: str) -> Numbers:
    if kind == "f32":
        return codes.view(np.float32).astype(np.float64)
    return numbers_of(codes.ravel(), SCALED[kind]).reshape(codes.shape)


def rounded(values: Numbers, kind: str, noise: Words | None) -> Words:
    """Return the nearest codes; with noise, the next ones away from 0 where the sum of fractions is 1 or more."""
    if BITS[kind] < 8:
        limit = float(ml_dtypes.finfo(SCALED[kind]).max)
        values = np.clip(values, -limit, limit)
    if noise is None:
        return codes_of(values, SCALED[kind])
    bits = BITS[kind]
    sizes = values_of(np.arange(1 << bits - 1, dtype=np.uint32), kind)
    sizes = sizes[np.isfinite(sizes)]
    sizes = np.append(sizes, 2 * sizes[-1] - sizes[-2])  # the code after the largest number is infinity or NaN
    lower = np.minimum(np.searchsorted(sizes, np.abs(values), side="right") - 1, len(sizes) - 2)
    grows = (np.abs(values) - sizes[lower]) / (sizes[lower + 1] - sizes[lower]) + noise / 2.0**32 >= 1
    return (np.where(grows, lower + 1, lower) | np.signbit(values).astype(np.int64) << bits - 1).astype(np.uint32)


def noises(first: Words, count: int) -> Words:
    """Return the random numbers for `count` numbers, as v_prng_b32 makes them of each other."""
    rows = [first]
    for _ in range(count - 1):
        rows.append((rows[-1] << 1) ^ np.where(rows[-1] >> 31, np.uint32(197), np.uint32(0)))
    return np.array(rows, np.uint32)


def choices(bits: int, result: int) -> list[tuple[int, int, int]]:
    """Return values of op_sel with the first bits of the source and of the result that they choose."""
    sources = {8: [0, 1, 2, 3], 16: [0, 1]}.get(bits, [0])
    results = {8: [0, 4, 8, 12], 16: [0, 8]}.get(result, [0])
    widths = bits if bits <= 16 else 0, result if result <= 16 else 0
    return [(a | b, widths[0] * a, widths[1] * (b >> 2 if result == 8 else b >> 3)) for a in sources for b in results]


NAMES = [one.name for one in instructions("gfx950") if one.name.startswith("v_cvt_scalef32_")]
_PARTS = re.compile(r"v_cvt_scalef32_(sr_)?(pk32_|pk_|2xpk16_)?(\w+)_(\w+)")


@pytest.mark.parametrize("name", NAMES)
def test_conversions_with_a_scale(machine: Machine, name: str) -> None:
    match = _PARTS.fullmatch(name)
    assert match is not None
    stochastic, many, to, from_ = match.groups()
    count = {"pk_": 2, None: 1}.get(many, 32)
    rng = np.random.default_rng(len(name))
    one = named("gfx950", name)
    # Bits 0 and 1 of op_sel choose in sources of 8 and 4 bits only.
    for select, low, high in choices(count * BITS[from_] if BITS[from_] <= 8 else 0, count * BITS[to]):
        codes, exponents = some_codes(from_, count, rng), rng.integers(122, 133, 64)
        first = rng.integers(0, 1 << 32, 64).astype(np.uint32)
        scale = (exponents << 23 | rng.integers(0, 1 << 23, 64)).astype(np.uint32)  # only its exponent counts
        separate = many == "2xpk16_" or (count == 2 and from_ == "f32" and not stochastic)
        sources = [codes[::2], codes[1::2]] if separate else [packed(codes, BITS[from_]) << np.uint32(low)]
        if stochastic:
            sources.append(first[None])
        sources.append(scale[None])
        state = executed(machine, "gfx950", encoded(one, select), sources)
        powers = 2.0 ** (exponents - 127.0)
        values = values_of(codes, from_)
        values = values * powers if BITS[to] > BITS[from_] else values / powers
        expected = rounded(values, to, noises(first, count) if stochastic else None)
        words = -(-count * BITS[to] // 32)
        found = state.vectors[40 : 40 + words]
        if count * BITS[to] < 32:
            changed = np.uint32((1 << count * BITS[to]) - 1 << high)
            assert (found & ~changed == np.uint32(0xABABABAB) & ~changed).all()
            found = found >> np.uint32(high)
        found = unpacked(found, BITS[to], count)
        nan = np.isnan(values_of(expected, to))
        np.testing.assert_array_equal(found[~nan], expected[~nan])
        assert np.isnan(values_of(found, to)[nan]).all()
        assert (state.vectors[40 + words] == 0xABABABAB).all()


def test_a_scale_of_all_ones_is_nan(machine: Machine) -> None:
    one = named("gfx950", "v_cvt_scalef32_f32_fp8")
    scale: Words = np.full((1, 64), 0x7F800000, np.uint32)
    found = executed(machine, "gfx950", encoded(one), [np.full((1, 64), 0x38, np.uint32), scale]).vectors[40]
    assert np.isnan(found.view(np.float32)).all()


def test_random_numbers_follow_each_other(machine: Machine) -> None:
    first = np.random.default_rng(3).integers(0, 1 << 32, (1, 64)).astype(np.uint32)
    found = executed(machine, "gfx950", encoded(named("gfx950", "v_prng_b32")), [first]).vectors[40]
    np.testing.assert_array_equal(found, noises(first[0], 2)[1])
