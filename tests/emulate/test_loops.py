"""Loops that are translated for what is known of registers where they begin, against the same operations one by one."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from scripts.instructions.machine import ExecutionError, Machine, State, Vectors
from scripts.instructions.record import lanes_of
from scripts.instructions.tables import VECTOR, Instruction
from tests.emulate.test_linear import Code, encoded_at_random, encodings_of, threads_in_order

pytestmark = pytest.mark.toolchain

_PROCESSORS = ("gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201")
_LOOPS = 500
_COUNTER, _OFFSET, _STEP = 12, 13, 14
"""Scalar registers: how often a loop goes round, and an address of local memory with what is added to it each time."""
_LOADS, _PAIRS = ("ds_read_b32", "ds_load_b32"), ("ds_read2_b32", "ds_load_2addr_b32")
_STORES = ("ds_write_b32", "ds_store_b32")
_LAST_OFFSET = 60


def _access(rng: np.random.Generator, code: Code) -> None:
    """Append a load or a store of local memory at an address that is one for all lanes, or goes with them."""
    if rng.integers(2):
        code.add("v_mov_b32_e32", src0=_OFFSET, vdst=6)
    else:
        code.add("v_lshlrev_b32_e32", src0=128 + 2, vsrc1=0, vdst=6)
    if rng.integers(2):
        code.add("v_add_u32_e32", "v_add_nc_u32_e32", src0=_OFFSET, vsrc1=6, vdst=6)
    offset, data = int(rng.integers(0, _LAST_OFFSET)), int(rng.integers(0, 7))
    kind = rng.integers(4)
    if kind == 0:
        code.add(*_STORES, addr=6, data0=data, offset0=offset)
    elif kind == 1:
        code.add(*_PAIRS, addr=6, vdst=data - data % 2, offset0=offset, offset1=offset // 2)
    else:
        code.add(*_LOADS, addr=6, vdst=data, offset0=offset)
        code.add("v_add_u32_e32", "v_add_nc_u32_e32", src0=VECTOR + data, vsrc1=1, vdst=1)


@cache
def _encodings(processor: str) -> list[list[Instruction]]:
    return encodings_of(processor)


def _random(rng: np.random.Generator, processor: str, code: Code, fewest: int, most: int) -> None:
    encodings = _encodings(processor)
    for _ in range(rng.integers(fewest, most)):
        if rng.integers(4) == 0:
            _access(rng, code)
            continue
        chosen = encodings[rng.integers(len(encodings))]
        code.code += encoded_at_random(rng, chosen[rng.integers(len(chosen))], processor)


def _loop(rng: np.random.Generator, processor: str) -> bytes:
    """Return operations, a loop of operations, and operations behind it, with or without another jump in the loop."""
    code = Code(processor)
    _random(rng, processor, code, 0, 4)
    start = len(code.code)
    _random(rng, processor, code, 1, 5)
    if rng.integers(2):
        skipped = Code(processor)
        _random(rng, processor, skipped, 1, 4)
        name = f"s_cbranch_{rng.choice(['scc0', 'scc1', 'vccz', 'vccnz', 'execz', 'execnz'])}"
        code.add(name, simm16=len(skipped.code) // 4)
        code.code += skipped.code
    code.add("s_add_u32", "s_add_co_u32", ssrc0=_OFFSET, ssrc1=_STEP, sdst=_OFFSET)
    code.add("s_sub_u32", "s_sub_co_u32", ssrc0=_COUNTER, ssrc1=128 + 1, sdst=_COUNTER)
    code.add("s_cmp_lg_u32", ssrc0=_COUNTER, ssrc1=128)
    code.add("s_cbranch_scc1", simm16=(start - len(code.code) - 4) // 4 & 0xFFFF)
    _random(rng, processor, code, 0, 4)
    return code.code


def _outcome(machine: Machine, processor: str, code: bytes, before: State, how: Vectors) -> tuple[bytes, ...] | None:
    """Return the registers and the local memory in the end, or None if an access is behind its end."""
    after = State(before.lanes, local=before.local.copy(), scc=before.scc, mode=before.mode)
    after.scalars[:], after.vectors[:] = before.scalars, before.vectors
    try:
        machine.execute(processor, code, after, how)
    except ExecutionError:
        return None
    return after.vectors.tobytes(), after.scalars.tobytes(), after.local.tobytes(), bytes([after.scc])


@pytest.mark.parametrize("processor", _PROCESSORS)
def test_loops_do_what_they_do_one_by_one(machine: Machine, processor: str, vectors: Vectors) -> None:
    rng, lanes = np.random.default_rng(11), lanes_of(processor)
    ended = 0
    for _ in range(_LOOPS):
        code = _loop(rng, processor)
        before = threads_in_order(rng, lanes)
        if rng.integers(4):
            before.vectors[0] = np.arange(lanes) + int(rng.integers(0, 64))
        before.local[:] = rng.integers(0, 256, len(before.local))
        before.scalars[_COUNTER] = rng.integers(1, 6)
        before.scalars[_OFFSET], before.scalars[_STEP] = rng.choice([0, 4, 512]), rng.choice([0, 4, 32])
        alone, translated = (_outcome(machine, processor, code, before, how) for how in (Vectors.NONE, vectors))
        assert alone == translated, code.hex()
        ended += alone is not None
    assert ended > _LOOPS // 4
