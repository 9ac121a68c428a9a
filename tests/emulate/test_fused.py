"""Sequences that are translated to machine code of the host, against the same operations one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from scripts.instructions.cases import cases, result, state
from scripts.instructions.machine import EXEC, ExecutionError, Machine, State, Vectors
from scripts.instructions.record import lanes_of
from scripts.instructions.tables import instructions

pytestmark = pytest.mark.toolchain

# All lanes, some and one of the first 16, and some of all.
_MASKS = (0xFFFFFFFF_FFFFFFFF, 0x8421, 0x1, 0x10001, 0xF0000000_80000000, 0)


def executed(machine: Machine, processor: str, code: bytes, before: State, vectors: Vectors) -> State:
    after = State(before.lanes, local=before.local.copy(), scc=before.scc, mode=before.mode)
    after.scalars[:], after.vectors[:] = before.scalars, before.vectors
    machine.execute(processor, code, after, vectors)
    return after


@pytest.mark.parametrize("processor", ["gfx90a", "gfx1100", "gfx1201"])
def test_translated_instructions_do_what_they_do_one_by_one(machine: Machine, processor: str, vectors: Vectors) -> None:
    wrong, compared = [], 0
    for case in cases(processor):
        before = state(case, lanes_of(processor))
        for mask in _MASKS:
            low, high = mask & 0xFFFFFFFF, mask >> 32 if before.lanes == 64 else 0
            before.scalars[EXEC : EXEC + 2] = low, high
            # Twice, since a single instruction is not worth a translation.
            code = case.code * 2
            try:
                alone = executed(machine, processor, code, before, Vectors.NONE)
            except ExecutionError:
                continue
            fused = executed(machine, processor, code, before, vectors)
            compared += 1
            if result(before, alone, case) != result(before, fused, case):  # which NaN it is, is not defined
                wrong.append(f"{case.key} with {mask:x}")
    assert wrong == []
    assert compared >= 1500


@dataclass(frozen=True)
class _Names:
    """A processor's names for loads of one, three and four words, and for a store of one."""

    loads: Mapping[int, str]
    store: str
    no_base: int


_MEMORY = {
    "gfx90a": _Names(
        {1: "global_load_dword", 3: "global_load_dwordx3", 4: "global_load_dwordx4"}, "global_store_dword", 0x7F
    ),
    "gfx1100": _Names({1: "global_load_b32", 3: "global_load_b96", 4: "global_load_b128"}, "global_store_b32", 0x7C),
}


def _encoded(processor: str, mnemonic: str, **values: int) -> bytes:
    return next(one for one in instructions(processor) if one.mnemonic == mnemonic).encoded(values)


def _places(lanes: int) -> Iterator[NDArray[np.int64]]:
    """Yield which word of memory each lane accesses: in order, one for all or for 16, far apart, in disorder, rows."""
    order = np.arange(lanes)
    yield order + 5
    yield np.full(lanes, 7)
    yield order // 16
    yield order * 4 + 1
    yield np.random.default_rng(1).permutation(lanes)
    yield np.where(order == lanes - 1, 300, order)  # in order but for the last
    for part in (8, 16, 32):  # rows of a matrix
        yield order // part * 70 + order % part


def _with_addresses(lanes: int, memory: NDArray[np.uint32], places: NDArray[np.int64], mask: int) -> State:
    found = State(lanes)
    found.vectors[:256] = np.random.default_rng(2).integers(0, 1 << 32, (256, lanes), dtype=np.uint32)
    addresses = (memory.ctypes.data + 4 * places).astype(np.uint64)
    found.vectors[8], found.vectors[9] = addresses.astype(np.uint32), (addresses >> np.uint64(32)).astype(np.uint32)
    found.scalars[EXEC : EXEC + 2] = mask & 0xFFFFFFFF, mask >> 32 if lanes == 64 else 0
    return found


@pytest.mark.parametrize("processor", _MEMORY)
def test_loads_and_stores_of_rows(machine: Machine, processor: str, vectors: Vectors) -> None:
    lanes, names = lanes_of(processor), _MEMORY[processor]
    memory = np.random.default_rng(3).integers(0, 1 << 32, 512, dtype=np.uint32)
    for places in _places(lanes):
        for mask in _MASKS:
            before = _with_addresses(lanes, memory, places, mask)
            active = np.array([mask >> lane & 1 for lane in range(lanes)], bool)
            for words, name in names.loads.items():
                code = _encoded(processor, name, addr=8, vdst=40, saddr=names.no_base)
                after = executed(machine, processor, code * 2, before, vectors)
                expected = np.stack([memory[places + word] for word in range(words)])
                assert (after.vectors[40 : 40 + words][:, active] == expected[:, active]).all()
                assert (after.vectors[40:44][:, ~active] == before.vectors[40:44][:, ~active]).all()
            written, to = memory.copy(), memory.copy()
            for lane in np.flatnonzero(active):
                written[places[lane]] = before.vectors[16][lane]
            state_for = _with_addresses(lanes, to, places, mask)
            code = _encoded(processor, names.store, addr=8, data=16, saddr=names.no_base)
            executed(machine, processor, code * 2, state_for, vectors)
            assert (to == written).all()


_LOCAL = {
    "gfx90a": _Names({1: "ds_read_b32", 2: "ds_read_b64", 3: "ds_read_b96", 4: "ds_read_b128"}, "ds_write_b32", 0),
    "gfx1100": _Names({1: "ds_load_b32", 2: "ds_load_b64", 3: "ds_load_b96", 4: "ds_load_b128"}, "ds_store_b32", 0),
}


def _local_state(lanes: int, places: NDArray[np.int64], mask: int) -> State:
    random = np.random.default_rng(4)
    found = State(lanes, local=random.integers(0, 256, 4 * 400, dtype=np.uint8))
    found.vectors[:256] = random.integers(0, 1 << 32, (256, lanes), dtype=np.uint32)
    found.vectors[8] = (4 * places).astype(np.uint32)
    found.scalars[EXEC : EXEC + 2] = mask & 0xFFFFFFFF, mask >> 32 if lanes == 64 else 0
    return found


@pytest.mark.parametrize("processor", _LOCAL)
def test_loads_and_stores_of_local_rows(machine: Machine, processor: str, vectors: Vectors) -> None:
    """Several words of a lane are taken to be the same for all lanes of a row; others must be right, too."""
    lanes, names = lanes_of(processor), _LOCAL[processor]
    one = _encoded(processor, names.loads[1], addr=8, vdst=60)
    stores = b"".join(_encoded(processor, names.store, addr=8, data0=16 + i, offset0=4 * i) for i in range(2))
    order = np.arange(lanes)
    ends = [order + 400 - lanes, order + 401 - lanes, order + 402 - lanes, np.full(lanes, 396), np.full(lanes, 399)]
    for places in (*_places(lanes), *ends):
        for mask in _MASKS:
            before = _local_state(lanes, places, mask)
            for name in names.loads.values():
                load = _encoded(processor, name, addr=8, vdst=40)
                # Before and behind the load of one word, which finds the same addresses as rows.
                for code in (load * 2, load + one, one + load):
                    alone, fused = (executed(machine, processor, code, before, how) for how in (Vectors.NONE, vectors))
                    assert (alone.vectors == fused.vectors).all(), (name, places, mask)
            alone, fused = (executed(machine, processor, stores, before, how) for how in (Vectors.NONE, vectors))
            assert (alone.local == fused.local).all(), (places, mask)


@pytest.mark.parametrize(("processor", "add"), [("gfx90a", "v_add_u32"), ("gfx1100", "v_add_nc_u32")])
def test_sums_behind_a_barrier(machine: Machine, processor: str, add: str, vectors: Vectors) -> None:
    """They are computed before the wavefront waits, if nothing else is left of the block; loads are not."""
    lanes = lanes_of(processor)
    barrier = _encoded(processor, "s_barrier")
    sums = b"".join(_encoded(processor, add, src0=256 + 8, vsrc1=10 + i, vdst=10 + i) for i in range(4))
    read = _encoded(processor, _LOCAL[processor].loads[1], addr=8, vdst=8)
    before = _local_state(lanes, np.arange(lanes), _MASKS[0])
    words = before.local.view(np.uint32)[:lanes]
    for code, added in (
        (barrier + sums, before.vectors[8]),
        (read + barrier + sums, words),
        (barrier + read + sums, words),
    ):
        after = executed(machine, processor, sums + code, before, vectors)
        assert (after.vectors[10:14] == before.vectors[10:14] + before.vectors[8] + added).all()


@pytest.mark.parametrize("values", [(3, 3), (3, 4)])
def test_lanes_that_stay_active_and_lanes_that_do_not(
    machine: Machine, values: tuple[int, int], vectors: Vectors
) -> None:
    before = State(32)
    before.vectors[8], before.vectors[9] = values[0], values[1]
    before.vectors[9][5] = values[0]
    compare = _encoded("gfx1100", "v_cmpx_eq_u32", src0=256 + 8, vsrc1=9)
    move = _encoded("gfx1100", "v_mov_b32", src0=128 + 7, vdst=10)
    alone, fused = (executed(machine, "gfx1100", compare + move * 2, before, how) for how in (Vectors.NONE, vectors))
    assert (alone.vectors == fused.vectors).all()
    assert (alone.scalars == fused.scalars).all()
    assert np.count_nonzero(fused.vectors[10] == 7) == (32 if values[0] == values[1] else 1)


def test_registers_that_are_indexed(machine: Machine, vectors: Vectors) -> None:
    before = State(64)
    before.scalars[8] = 3
    before.vectors[20:30] = np.arange(10, dtype=np.uint32)[:, None]
    start = _encoded("gfx90a", "s_set_gpr_idx_on", ssrc0=8, ssrc1=1)
    moves = [_encoded("gfx90a", "v_mov_b32", src0=256 + source, vdst=40 + source) for source in (20, 21, 22)]
    code = start + b"".join(moves) + _encoded("gfx90a", "s_set_gpr_idx_off")
    for how in (Vectors.NONE, vectors):
        after = executed(machine, "gfx90a", code, before, how)
        assert after.vectors[60:63, 0].tolist() == [3, 4, 5]
