"""Random sequences of vector operations for any active lanes, against the same operations one by one.

A run of operations keeps values and masks in the host's registers: what one leaves, others read, overwrite and combine.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

from scripts.instructions.cases import Words
from scripts.instructions.machine import EXEC, VCC, Machine, State, Vectors
from scripts.instructions.record import lanes_of
from scripts.instructions.tables import VECTOR, Instruction, instructions
from tests.emulate.test_fused import executed

pytestmark = pytest.mark.toolchain

_NAMES = re.compile(
    r"v_(mov_b32|(add|sub|subrev)(_nc)?_u32|(add|sub|subrev)_co_u32|addc_co_u32|add_co_ci_u32|cndmask_b32"
    r"|(add|sub|mul|min|max|min3|max3)_f32|fmac_f32|fma_f32|pk_(fma|mul|add)_f32|ldexp_f32"
    r"|cvt_(i32_f32|f32_i32|f32_u32)|(rndne|floor|ceil|trunc)_f32|mul_lo_u32|(and|or|xor)_b32|(min|max)_[iu]32"
    r"|lshlrev_b(32|64)|lshrrev_b32|ashrrev_i32|lshl_(add_u32|or_b32)|add_lshl_u32|add3_u32|or3_b32|and_or_b32"
    r"|xad_u32|bfe_u32|mad(_co)?_u64_u32|cmpx?_(lt|eq|le|gt|ge|ne)_[iu]32|cmpx?_(lt|eq|o|u|nge|neq)_f32"
    r"|mbcnt_lo_u32_b32|ffbh_u32|readfirstlane_b32)(_e32|_e64)?|s_(add_u32|mov_b32|and_b64|or_b32|lshl_b32)"
)
"""Operations that are translated, some that are called, and scalar ones."""
_MASKS, _SCALARS = (20, 21, 22, VCC), (8, 9, 10, 20)
_EDGES = (
    0, 0x80000000, 1, 0xFFFFFFFF, 0x7FFFFFFF, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7F7FFFFF, 0x00800000,
    0x00000003, 0x807FFFFF, 0x4F000000, 0xCF000000, 0xCF000001, 0x0000FFFF, 31, 32, 0xFFFFFF6B, 0x00000095, 0x3F000001,
)  # fmt: skip
_ACTIVE = (~0, ~0, 0x8421, 0x1, 0x10001, 0xF0000000_80000000, 0x0F0F1234_56789ABC, 0xFFFE)
_SEQUENCES, _LONGEST = 1200, 30


def _is_float(one: Instruction, slot: str, moved: int) -> int:
    """Return 1 for an operand that may be a NaN. Which NaN it is, is not defined, so that integers come of others."""
    result, *sources = re.findall(r"[fiub]\d+", one.mnemonic) or ["b32"]
    if re.match("v_(mov|cndmask)_b32", one.mnemonic):
        return moved
    kind = sources[0] if sources and slot not in ("vdst", "sdst") else result
    return int(kind == "f32" and not (one.mnemonic == "v_ldexp_f32" and slot in ("src1", "vsrc1")))


def _operand(rng: np.random.Generator, count: int, start: int) -> int:
    kind = rng.integers(5)
    if kind == 0:
        return int(128 + rng.choice([0, 1, 2, 4, 8, 31, 64]))
    return int(rng.choice(_SCALARS[:3])) // count * count if kind == 1 else int(VECTOR + start + rng.integers(0, 8))


def _encoded(rng: np.random.Generator, one: Instruction) -> bytes:
    values: dict[str, int] = {}
    moved = int(rng.integers(2))
    for slot in one.slots:
        start = 10 * _is_float(one, slot.name, moved)
        width = one.format.fields[slot.name][1] if slot.bank else 0
        is_result = slot.name in ("vdst", "sdst")
        if slot.bank == "v" and (is_result or width == 8):
            values[slot.name] = start + int(rng.integers(0, 8))
        elif slot.bank and one.name.startswith("s_"):
            values[slot.name] = int(rng.choice(_SCALARS)) // slot.count * slot.count
        elif slot.bank and is_result and "readfirstlane" in one.name:
            values[slot.name] = int(rng.choice(_SCALARS))
        elif slot.bank and (is_result or (slot.name == "src2" and re.search("_ci_|addc|cndmask", one.name))):
            # Pairs of registers for 64 lanes; those that overlap are for 32.
            values[slot.name] = int(rng.choice(_MASKS if slot.count == 1 else _MASKS[::2] + _MASKS[3:]))
        elif slot.bank:
            values[slot.name] = _operand(rng, slot.count, start)
    if one.format.name == "VOP3" and one.name.startswith("v_cmpx") and "vdst" not in values:
        values["vdst"] = EXEC
    if one.format.name == "VOP3" and "f32" in one.name and not one.name.startswith("v_cvt"):
        values |= {
            name: int(rng.integers(8)) for name in ("neg", "abs") if name in one.format.fields and rng.integers(2)
        }
    if one.format.name == "VOP3P":
        values |= {name: int(rng.integers(8)) for name in ("op_sel", "neg", "neg_hi") if name in one.format.fields}
    return one.encoded(values)


def _state(rng: np.random.Generator, lanes: int) -> State:
    found = State(lanes, mode=0xF0)
    random = rng.integers(0, 1 << 32, (20, lanes), dtype=np.uint32)
    edges = rng.choice(np.array(_EDGES, np.uint32), (20, lanes))
    found.vectors[:20] = np.where(rng.integers(0, 2, (20, lanes), dtype=np.uint32) == 1, random, edges)
    found.scalars[:24] = rng.choice(np.array(_EDGES, np.uint32), 24)
    found.scalars[VCC : VCC + 2] = rng.integers(0, 1 << 32, 2, dtype=np.uint32)
    active = int(rng.choice(len(_ACTIVE)))
    found.scalars[EXEC] = _ACTIVE[active] & 0xFFFFFFFF
    found.scalars[EXEC + 1] = _ACTIVE[active] >> 32 & 0xFFFFFFFF if lanes == 64 else 0
    return found


def _without_nans(state: State) -> Words:
    """Return the vector registers; which NaN it is, is not defined."""
    return np.where((state.vectors & 0x7FFFFFFF) > 0x7F800000, 0x7FC00000, state.vectors).astype(np.uint32)


@pytest.mark.parametrize("processor", ["gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"])
def test_random_runs_do_what_they_do_one_by_one(machine: Machine, processor: str, vectors: Vectors) -> None:
    rng, lanes = np.random.default_rng(7), lanes_of(processor)
    literal = [one for one in instructions(processor) if "literal" not in repr(one.slots)]
    known = [one for one in literal if _NAMES.fullmatch(one.name)]
    assert len({one.mnemonic for one in known}) > 60
    for _ in range(_SEQUENCES):
        code = [_encoded(rng, known[i]) for i in rng.integers(0, len(known), rng.integers(2, _LONGEST))]
        before = _state(rng, lanes)
        alone, fused = (executed(machine, processor, b"".join(code), before, how) for how in (Vectors.NONE, vectors))
        assert (_without_nans(alone) == _without_nans(fused)).all(), [one.hex() for one in code]
        assert (alone.scalars == fused.scalars).all() and alone.scc == fused.scc, [one.hex() for one in code]


_LOCAL = {
    "gfx90a": ("ds_read_b32", "ds_read_b64", "ds_read_b96", "ds_read_b128", "ds_read2_b32", "ds_read2_b64",
               "ds_read2st64_b32", "ds_write_b32"),
    "gfx1100": ("ds_load_b32", "ds_load_b64", "ds_load_b96", "ds_load_b128", "ds_load_2addr_b32", "ds_load_2addr_b64",
                "ds_load_2addr_stride64_b32", "ds_store_b32"),
}  # fmt: skip
_FLOATS = ("v_add_f32_e32", "v_mul_f32_e32", "v_max_f32_e32")


def _addresses(rng: np.random.Generator, lanes: int) -> Words:
    """Return addresses in local memory: rows of 16 lanes, one word for each 16, both, in disorder, outside."""
    order: Words = np.arange(lanes, dtype=np.uint32)
    starts = rng.integers(0, 64, lanes // 16, dtype=np.uint32).repeat(16) * 4
    row, one = starts + order % 16 * 4, starts
    others = rng.integers(0, 200, lanes, dtype=np.uint32) * 4
    outside = [row + 960, one + np.uint32(0xFFFFFF00), row + np.uint32(0xFFFFFFC0)]
    found = [row, one, row, one, order * 4 + 16, np.where(order < 16, row, one), others, others, *outside]
    return found[rng.integers(len(found))].astype(np.uint32)


def _local_or_float(rng: np.random.Generator, accesses: list[Instruction], floats: list[Instruction]) -> bytes:
    if rng.integers(3) == 0:
        sources = {"src0": int(VECTOR + rng.integers(0, 20)), "vsrc1": int(rng.integers(0, 20))}
        return floats[rng.integers(len(floats))].encoded({**sources, "vdst": int(rng.integers(2, 20))})
    one = accesses[rng.integers(len(accesses))]
    values = {"addr": int(rng.integers(0, 2)), "offset0": int(rng.integers(0, 16))}
    values["offset1"] = int(rng.integers(0, 16)) if re.search("read2|2addr", one.name) else 0
    values |= {"data0": 24} if re.search("write|store", one.name) else {"vdst": int(rng.integers(0, 16))}
    return one.encoded(values)


@pytest.mark.parametrize("processor", _LOCAL)
def test_random_loads_of_local_memory(machine: Machine, processor: str, vectors: Vectors) -> None:
    rng, lanes = np.random.default_rng(8), lanes_of(processor)
    named = {one.name: one for one in instructions(processor)}
    loads, floats = ([named[name] for name in names] for names in (_LOCAL[processor], _FLOATS))
    for _ in range(_SEQUENCES):
        code = [_local_or_float(rng, loads, floats) for _ in range(rng.integers(2, _LONGEST))]
        before = _state(rng, lanes)
        if rng.integers(4):
            before.scalars[EXEC : EXEC + 2] = 0xFFFFFFFF, 0xFFFFFFFF if lanes == 64 else 0
        before.vectors[0], before.vectors[1] = _addresses(rng, lanes), _addresses(rng, lanes)
        before.vectors[24] = rng.integers(0, 1 << 32, lanes, dtype=np.uint32)  # is stored, and not computed
        before.local[:] = rng.integers(0, 256, 1024, dtype=np.uint8)
        alone, fused = (executed(machine, processor, b"".join(code), before, how) for how in (Vectors.NONE, vectors))
        assert (_without_nans(alone) == _without_nans(fused)).all(), [one.hex() for one in code]
        assert (alone.local == fused.local).all()
