"""Sequences that begin with thread numbers in the order of lanes, against the same operations one by one.

The translation computes what is linear in the lane once for a wavefront. It must notice where that ends.
"""

from __future__ import annotations

import ctypes
import mmap
import re
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from scripts.instructions.machine import EXEC, VCC, Machine, State, Vectors
from scripts.instructions.record import lanes_of
from scripts.instructions.tables import VECTOR, Instruction, instructions
from tests.emulate.test_fused import executed

pytestmark = pytest.mark.toolchain

_PROCESSORS = ("gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201")
# What is computed on linear registers, and some of what is not.
_ARITHMETIC = (
    "v_mov_b32", "v_readfirstlane_b32", "v_add_u32", "v_add_nc_u32", "v_sub_u32", "v_sub_nc_u32", "v_subrev_u32",
    "v_subrev_nc_u32", "v_add3_u32", "v_lshlrev_b32", "v_lshl_add_u32", "v_add_lshl_u32", "v_mul_lo_u32",
    "v_add_co_u32", "v_sub_co_u32", "v_subrev_co_u32", "v_addc_co_u32", "v_add_co_ci_u32", "v_lshlrev_b64",
    "v_lshl_add_u64", "v_mad_u64_u32", "v_mad_co_u64_u32", "v_lshrrev_b32", "v_ashrrev_i32", "v_bfe_u32", "v_and_b32",
    "v_xor_b32", "v_or_b32", "v_lshl_or_b32", "v_min_i32", "v_max_i32", "v_min_u32", "v_max_u32", "v_cndmask_b32",
    "v_and_or_b32", "v_cvt_f32_u32", "v_mbcnt_lo_u32_b32", "s_add_u32", "s_sub_u32", "s_mul_i32", "s_lshl_b64",
    "s_and_saveexec_b64", "s_and_saveexec_b32", "s_or_b64", "s_or_b32", "s_and_b64", "s_and_b32",
    "s_andn2_b64", "s_andn2_b32", "s_and_not1_b64", "s_and_not1_b32",
    *(f"v_{kind}_{condition}_{type_}" for kind in ("cmp", "cmpx") for condition in ("eq", "ne", "lt", "le", "gt", "ge")
      for type_ in ("i32", "u32")),
)  # fmt: skip
_NUMBERS = (0, 1, 2, 3, 4, 16, 31, 63, 64, 1023, 1024, 1 << 20, 0x7FFFFFE0, 0x80000000, 0xFFFFFF00, 0xFFFFFFFF)
_BASES = (0, 32, 64, 100, 960, 961, 1024, 0x7FFFFFE0, 0x7FFFFFFF, 0x80000000, 0xFFFFFFC0)
_MASKS = (20, 22, VCC)
_SEQUENCES, _LONGEST = 2500, 12


def encodings_of(processor: str) -> list[list[Instruction]]:
    """Return the encodings of each of the names that the processor has."""
    found = []
    for name in _ARITHMETIC:
        named = [one for one in instructions(processor) if one.mnemonic == name]
        plain = [one for one in named if not one.name.endswith(("_dpp", "_sdwa")) and "literal" not in repr(one.slots)]
        found += [plain] if plain else []
    return found


def _source(rng: np.random.Generator, count: int) -> int:
    """Return the number of a vector register, mostly a low one, of a scalar one, or of a constant."""
    kind = rng.integers(4)
    if kind == 0:
        return int(rng.integers(0, 8)) * 2 // (1 if count == 2 else 2)
    return int(128 + rng.choice([0, 1, 2, 4, 8, 31, 64])) if kind == 1 else int(VECTOR + rng.integers(0, 6))


def encoded_at_random(
    rng: np.random.Generator, one: Instruction, processor: str, masks: tuple[int, ...] = _MASKS
) -> bytes:
    values: dict[str, int] = {}
    for slot in one.slots:
        if not slot.bank:
            continue
        width = one.format.fields[slot.name][1]
        is_result = slot.name in ("vdst", "sdst")
        if slot.bank == "v" and (is_result or width == 8):
            values[slot.name] = int(rng.integers(0, 7 if slot.count < 2 else 6))
        elif one.name.startswith("s_"):
            scalars = (*_MASKS, EXEC) if "b64" in one.name or "b32" in one.name else (8, 9, 10, 11)
            values[slot.name] = int(rng.choice(scalars))
        elif is_result and "readfirstlane" in one.name:
            values[slot.name] = int(rng.choice([8, 9, 10, 11]))
        elif is_result or (slot.name == "src2" and re.search("_ci_|addc|cndmask", one.name)):
            null = [124] if one.mnemonic.startswith("v_mad") and processor >= "gfx11" and processor < "gfx9" else []
            values[slot.name] = int(rng.choice([*masks, *(null if masks == _MASKS else [])]))
        else:
            values[slot.name] = _source(rng, slot.count)
    if one.format.name == "VOP3" and one.name.startswith("v_cmpx") and "vdst" not in values:
        values["vdst"] = EXEC
    return one.encoded(values)


def _sum_of_64_bits(rng: np.random.Generator, encodings: list[list[Instruction]], processor: str) -> list[bytes]:
    """Return the two halves of a sum as compilers make it for addresses."""
    names = (("v_add_co_u32",), ("v_addc_co_u32", "v_add_co_ci_u32"))
    halves = [next(one for one in encodings if one[0].mnemonic in name) for name in names]
    return [encoded_at_random(rng, half[rng.integers(len(half))], processor, (VCC,)) for half in halves]


def threads_in_order(rng: np.random.Generator, lanes: int) -> State:
    """Return registers that begin with the number of a thread in x, and the same y and z for all lanes."""
    found = State(lanes)
    order: NDArray[np.uint32] = np.arange(lanes, dtype=np.uint32)
    found.vectors[:16] = rng.integers(0, 1 << 32, (16, lanes), dtype=np.uint32)
    found.vectors[0] = np.uint32(rng.choice(_BASES)) + order
    found.vectors[1:5] = rng.choice(np.array(_NUMBERS, np.uint32), 4)[:, None]
    found.vectors[5] = np.uint32(rng.choice(_NUMBERS)) + 4 * order
    found.scalars[:24] = rng.choice(np.array(_NUMBERS, np.uint32), 24)
    every = 0xFFFFFFFF
    for number in _MASKS:
        found.scalars[number : number + 2] = rng.choice([0, every, every, every - 1])
    if lanes == 32:
        found.scalars[VCC + 1] = 0
    return found


@pytest.mark.parametrize("processor", _PROCESSORS)
def test_random_sequences_do_what_they_do_one_by_one(machine: Machine, processor: str, vectors: Vectors) -> None:
    rng, lanes = np.random.default_rng(5), lanes_of(processor)
    encodings = encodings_of(processor)
    assert len(encodings) > 40
    for _ in range(_SEQUENCES):
        chosen = [encodings[i] for i in rng.integers(0, len(encodings), rng.integers(2, _LONGEST))]
        code = [encoded_at_random(rng, one[rng.integers(len(one))], processor) for one in chosen]
        code[1:1] = _sum_of_64_bits(rng, encodings, processor)
        before = threads_in_order(rng, lanes)
        alone, fused = (executed(machine, processor, b"".join(code), before, how) for how in (Vectors.NONE, vectors))
        names = [one[0].mnemonic for one in chosen]
        assert (alone.vectors == fused.vectors).all(), (names, [one.hex() for one in code])
        assert (alone.scalars == fused.scalars).all() and alone.scc == fused.scc, (names, [one.hex() for one in code])


class Code:
    """Writes machine code for a processor."""

    def __init__(self, processor: str) -> None:
        self.processor = processor
        self.null = 0x7F if processor.startswith("gfx9") else 0x7D if processor == "gfx1030" else 0x7C
        self.code = b""

    def add(self, *names: str, **values: int) -> None:
        """Append the first of the instructions that the processor has."""
        known = instructions(self.processor)
        one = next(one for name in names for one in known if one.name == name)
        self.code += one.encoded({key: value for key, value in values.items() if key in one.format.fields})

    def address(self, shift: int) -> None:
        """Make v[2:3] = s[8:9] + (v0 << shift), as compilers do."""
        self.add("v_lshlrev_b32_e32", src0=128 + shift, vsrc1=0, vdst=2)
        self.add("v_mov_b32_e32", src0=9, vdst=3)
        low = {"src0": 8, "src1": VECTOR + 2, "vsrc1": 2, "vdst": 2, "sdst": VCC}
        self.add("v_add_co_u32_e32", "v_add_co_u32", **low)
        high = {"src0": 128, "vsrc1": 3, "vdst": 3}
        self.add("v_addc_co_u32_e32", "v_add_co_ci_u32_e32", **high)


def _bounds(rng: np.random.Generator, processor: str) -> bytes:
    """Return checks of two numbers against bounds, as compilers make them; what follows may read the extremes."""

    def one_of(*choices: str) -> str:
        return str(rng.choice(choices))

    size = lanes_of(processor)
    code = Code(processor)
    code.add("v_add_u32_e32", "v_add_nc_u32_e32", src0=8, vsrc1=0, vdst=1)
    code.add("v_mov_b32_e32", src0=9, vdst=2)
    kind = one_of("i32", "u32")
    for i in range(2):
        other = kind if rng.integers(4) else one_of("i32", "u32")
        pair = [1, 2] if rng.integers(2) else [2, 1]
        code.add(f"v_{one_of('min', 'max')}_{other}_e32", src0=VECTOR + pair[0], vsrc1=pair[1], vdst=6)
        if rng.integers(2):
            code.add("s_add_u32", "s_add_co_u32", ssrc0=10, ssrc1=128 + 1, sdst=int(rng.choice([10, 11, VCC])))
        name = f"v_{one_of('cmp', 'cmp', 'cmpx')}_{one_of('lt', 'le', 'gt', 'ge', 'eq')}_{kind}"
        bound = int(rng.choice([10, 11, 128, 128 + 1]))
        if "cmpx" in name or rng.integers(2):
            code.add(f"{name}_e32", src0=bound, vsrc1=6)
        else:
            sources = {"src0": VECTOR + 6, "src1": bound}
            code.add(f"{name}_e64", **sources, vdst=VCC, sdst=VCC)
        if rng.integers(4):
            code.add(f"s_and_saveexec_b{size}", ssrc0=int(rng.choice([VCC, VCC, 20])), sdst=22 + 2 * i)
        if rng.integers(2):  # it is read before it is overwritten
            code.add("v_add_u32_e32", "v_add_nc_u32_e32", src0=VECTOR + 6, vsrc1=0, vdst=7)
        if rng.integers(2):
            code.add(f"s_mov_b{size}", ssrc0=EXEC if rng.integers(2) else 20, sdst=VCC)
        if i == 1 and rng.integers(2):
            code.add("v_add_u32_e32", "v_add_nc_u32_e32", src0=VECTOR + 5, vsrc1=0, vdst=6)
    return code.code


@pytest.mark.parametrize("processor", _PROCESSORS)
def test_bounds_of_two_numbers_do_what_they_do_one_by_one(machine: Machine, processor: str, vectors: Vectors) -> None:
    rng = np.random.default_rng(8)
    kept = 0
    for _ in range(_SEQUENCES):
        code = _bounds(rng, processor)
        before = threads_in_order(rng, lanes_of(processor))
        small: NDArray[np.uint32] = rng.choice(np.array([0, 1, 5, 100, 1000, 0x7FFFFFF0, 0xFFFFFFFE], np.uint32), 4)
        before.scalars[8:12] = small
        before.vectors[0] = np.arange(lanes_of(processor)) + rng.choice([0, 0, 64, 0x7FFFFFE0])
        alone, fused = (executed(machine, processor, code, before, how) for how in (Vectors.NONE, vectors))
        assert (alone.vectors == fused.vectors).all(), code.hex()
        assert (alone.scalars == fused.scalars).all() and alone.scc == fused.scc, code.hex()
        kept += int((alone.scalars[EXEC] == before.scalars[EXEC]).all())
    assert 100 < kept < _SEQUENCES


_WIDTHS = {
    1: ("global_{}_dword", "global_{}_b32"),
    2: ("global_{}_dwordx2", "global_{}_b64"),
    3: ("global_{}_dwordx3", "global_{}_b96"),
    4: ("global_{}_dwordx4", "global_{}_b128"),
}
_PARTS = {
    "load": ("ubyte u8", "sbyte i8", "ushort u16", "sshort i16"),
    "store": ("byte b8", "short b16"),
}


def _memory_names(action: str) -> Iterator[tuple[str, ...]]:
    yield from (tuple(name.format(action) for name in names) for names in _WIDTHS.values())
    yield from (tuple(f"global_{action}_{name}" for name in names.split()) for names in _PARTS[action])


def _accesses(processor: str, mask: int) -> Iterator[tuple[str, bytes]]:
    """Yield accesses of all widths with strides from 0 to 16, up and down the lanes, with some offsets."""
    for action in ("load", "store"):
        for names in _memory_names(action):
            for shift in (0, 1, 2, 3, 4, -1, -2):
                for offset, has_base in ((0, False), (3, False), (-4, False), (8, True)):
                    code = Code(processor)
                    if shift == -1:
                        code.add("v_mov_b32_e32", src0=128 + 5, vdst=0)
                    if shift == -2:
                        code.add("v_sub_u32_e32", "v_sub_nc_u32_e32", src0=10, vsrc1=0, vdst=0)
                    code.add("v_lshlrev_b32_e32", src0=128 + 2, vsrc1=0, vdst=12)
                    code.address(max(shift, 0) if shift >= 0 else 2)
                    if mask:
                        code.add("v_cmpx_gt_u32_e32", src0=11, vsrc1=0)
                    address = {"addr": 2, "saddr": code.null} if not has_base else {"addr": 12, "saddr": 8}
                    code.add(*names, **address, vdst=20, data=12 if offset else 16, offset=offset)
                    # What is loaded is used.
                    code.add("v_add_u32_e32", "v_add_nc_u32_e32", src0=VECTOR + 20, vsrc1=0, vdst=24)
                    yield f"{names[0]} {shift} {offset} {has_base}", code.code


@pytest.mark.parametrize("mask", [0, 7, 19, 37])
@pytest.mark.parametrize("processor", ["gfx90a", "gfx1030", "gfx1100"])
def test_accesses_do_what_they_do_one_by_one(machine: Machine, processor: str, mask: int, vectors: Vectors) -> None:
    lanes = lanes_of(processor)
    content = np.random.default_rng(6).integers(0, 1 << 32, 1024, dtype=np.uint32)
    compared = 0
    for name, code in _accesses(processor, mask):
        found = []
        for how in (Vectors.NONE, vectors):
            memory = content.copy()
            before = State(lanes)
            before.vectors[:30] = np.random.default_rng(7).integers(0, 1 << 32, (30, lanes), dtype=np.uint32)
            before.vectors[:3] = 0
            before.vectors[0] = np.arange(lanes)
            place = memory.ctypes.data + 256
            before.scalars[8:12] = place & 0xFFFFFFFF, place >> 32, lanes + 3, mask
            after = executed(machine, processor, code, before, how)
            # Addresses differ with the memory.
            after.vectors[2:4] = after.scalars[8:10] = after.scalars[VCC : VCC + 2] = 0
            found.append((memory.tobytes(), after.vectors.tobytes(), after.scalars.tobytes()))
        assert found[0] == found[1], name
        compared += 1
    assert compared > 200


@pytest.mark.parametrize("processor", ["gfx90a", "gfx1100"])
def test_nothing_behind_the_last_active_lane_is_touched(machine: Machine, processor: str, vectors: Vectors) -> None:
    """Rows end where the memory ends; the next page cannot be read or written."""
    lanes, page = lanes_of(processor), mmap.PAGESIZE
    room = mmap.mmap(-1, 2 * page)
    start = ctypes.addressof(ctypes.c_char.from_buffer(room))
    assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(start + page), page, 0) == 0
    words: NDArray[np.uint32] = np.frombuffer(room, np.uint32)[: page // 4]
    for active in (lanes, lanes - 1, lanes // 2 + 1, 17, 3):
        for action, count in (("load", 1), ("load", 3), ("store", 1)):
            code = Code(processor)
            code.address(2)
            code.add("v_cmpx_gt_u32_e32", src0=11, vsrc1=0)
            name = tuple(one.format(action) for one in _WIDTHS[count])
            code.add(*name, addr=2, saddr=code.null, vdst=20, data=0, vdata=0)
            words[:] = np.arange(len(words)) + 1
            before = State(lanes)
            before.vectors[0] = np.arange(lanes)
            place = start + page - 4 * (active + count - 1)
            before.scalars[8:12] = place & 0xFFFFFFFF, place >> 32, 0, active
            after = executed(machine, processor, code.code, before, vectors)
            last = len(words) - (active + count - 1)
            for word in range(count):
                loaded: NDArray[np.int64] = np.arange(last + word, last + word + active) + 1
                assert (after.vectors[20 + word][:active] == (loaded if action == "load" else 0)).all()
                assert (after.vectors[20 + word][active:] == 0).all()
            if action == "store":
                assert words[last:].tolist() == list(range(active))


_LOADED = (20, 21, 22, 23)
"""Registers of loads and of what is computed with them; others are linear in the lane."""


def _kernel(rng: np.random.Generator, processor: str) -> bytes:
    """Return loads, operations on linear and on other registers in any order, and stores at the end."""
    loads, stores = (tuple(name.format(action) for name in _WIDTHS[1]) for action in ("load", "store"))
    code = Code(processor)
    code.address(2)
    for to in _LOADED[:3]:
        code.add(*loads, addr=2, saddr=code.null, vdst=to, offset=4 * int(rng.integers(0, 64)))
    for _ in range(rng.integers(1, 8)):
        kind = rng.integers(6)
        to, one, other = (int(number) for number in rng.choice([*_LOADED, 0, 1, 6], 3))
        if kind == 0:
            code.address(2)
        elif kind == 1:  # what was loaded may become linear
            code.add("v_add_u32_e32", "v_add_nc_u32_e32", src0=128 + 7, vsrc1=0, vdst=int(rng.choice([1, 6, 20, 22])))
        elif kind == 2:
            code.add("v_mov_b32_e32", src0=VECTOR + other, vdst=to if to != 0 else 6)
        elif kind == 3:
            code.add(*loads, addr=2, saddr=code.null, vdst=int(rng.choice(_LOADED)), offset=128)
        else:
            code.add("v_add_u32_e32", "v_add_nc_u32_e32", src0=VECTOR + one, vsrc1=other, vdst=to if to != 0 else 1)
    for _ in range(rng.integers(1, 3)):
        data = int(rng.choice([*_LOADED, 0, 1, 6]))
        code.add(*stores, addr=2, saddr=code.null, data=data, offset=512 + 256 * int(rng.integers(0, 2)))
    return code.code


@pytest.mark.parametrize("processor", ["gfx90a", "gfx1030", "gfx1100"])
def test_kernels_store_what_they_store_one_by_one(machine: Machine, processor: str, vectors: Vectors) -> None:
    """Registers need not be written where none is read afterwards."""
    rng, lanes = np.random.default_rng(8), lanes_of(processor)
    content = rng.integers(0, 1 << 32, 512, dtype=np.uint32)
    for _ in range(600):
        code = _kernel(rng, processor)
        first = int(rng.choice([0, 3]))
        found = []
        for how, keeps in ((Vectors.NONE, True), (vectors, True), (vectors, False)):
            memory = content.copy()
            state = State(lanes)
            state.vectors[:30] = 5
            state.vectors[0] = np.arange(lanes, dtype=np.uint32) + np.uint32(first)
            place = memory.ctypes.data - 4 * first
            state.scalars[8:10] = place & 0xFFFFFFFF, place >> 32
            machine.execute(processor, code, state, how, keeps)
            found.append(memory.tobytes())
        assert found[0] == found[1] == found[2], code.hex()
        assert found[0] != content.tobytes()


_SCALARS = range(20, 26)
_FLAGS = ("s_add_u32", "s_addc_u32", "s_sub_i32", "s_subb_u32", "s_and_b32", "s_xor_b32", "s_mul_i32", "s_cselect_b32",
          "s_lshr_b32", "s_cmp_lt_i32", "s_cmp_eq_u32", "s_mov_b32", "s_not_b32", "s_bfe_u32", "s_min_u32")  # fmt: skip


def _flag_kernel(rng: np.random.Generator, processor: str) -> bytes:
    """Return scalar operations that set and read scc, and stores of what they compute."""
    code = Code(processor)
    for _ in range(rng.integers(2, 14)):
        name = str(rng.choice(_FLAGS))
        to, one, other = (int(number) for number in rng.choice(_SCALARS, 3))
        fields = {"ssrc0": one} if name in {"s_mov_b32", "s_not_b32"} else {"ssrc0": one, "ssrc1": other}
        if name == "s_lshr_b32":
            fields["ssrc1"] = 128 + int(rng.integers(0, 32))
        code.add(name, **fields, **({} if name.startswith("s_cmp") else {"sdst": to}))
    code.address(2)
    stores = tuple(name.format("store") for name in _WIDTHS[1])
    for number in _SCALARS:
        code.add("v_mov_b32_e32", src0=number, vdst=20)
        code.add(*stores, addr=2, saddr=code.null, data=20, offset=256 * (number - _SCALARS.start))
    return code.code


@pytest.mark.parametrize("processor", ["gfx90a", "gfx1030", "gfx1100"])
def test_scalar_flags_that_are_read_are_set(machine: Machine, processor: str, vectors: Vectors) -> None:
    """What nothing reads need not be set."""
    rng, lanes = np.random.default_rng(9), lanes_of(processor)
    small = np.array([0, 1, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF], np.uint32)
    for _ in range(600):
        code, flag, start = _flag_kernel(rng, processor), int(rng.integers(0, 2)), rng.choice(small, len(_SCALARS))
        found = []
        for how, keeps in ((Vectors.NONE, True), (vectors, True), (vectors, False)):
            memory: NDArray[np.uint32] = np.zeros(64 * len(_SCALARS) + 64, np.uint32)
            state = State(lanes, scc=flag)
            state.vectors[0] = np.arange(lanes, dtype=np.uint32)
            state.scalars[_SCALARS.start : _SCALARS.stop] = start
            state.scalars[8:10] = memory.ctypes.data & 0xFFFFFFFF, memory.ctypes.data >> 32
            machine.execute(processor, code, state, how, keeps)
            found.append(memory.tobytes())
        assert found[0] == found[1] == found[2], code.hex()
