"""Packed matrices: the numbers are MLC's, and each weight lies where kernels/tiles.cuh says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hipport.errors import HipportError
from hipport.llm.pack import TILE_BYTES, gate_up_order, pack, packed_bytes, qkv_order, quantise, unpack

ROWS, COLUMNS = st.integers(1, 40), st.integers(1, 140)


def weight_at(tiles: np.ndarray, row: int, column: int) -> float:
    """One weight, found bit by bit as the comment in tiles.cuh has it."""
    tile = tiles[row // 16, column // 64].tobytes()
    upper, g, w = row % 16 // 8, row % 8, column % 64
    t, word = w % 32 // 8, 2 * (w // 32) + w % 8 // 4
    place = (4 * g + t) * 16 + word * 4
    bits = int.from_bytes(tile[place : place + 4], "little") >> ([0, 16, 8, 24][w % 4] + 4 * upper)
    scale = np.frombuffer(tile[512 + 8 * g :], np.float16)[2 * upper + w // 32]
    return float((bits % 16 - 8) * np.float32(scale))


def mlc(row: np.ndarray) -> np.ndarray:
    """The weights of a row that q4f16_1 stands for: q from 0 to 14 means (q - 7) * scale."""
    made = []
    for start in range(0, len(row), 32):
        group = row[start : start + 32].astype(np.float32)
        scale = np.float32(np.float16(np.abs(group).max() / 7))
        q = np.clip(np.rint(group / scale + 7), 0, 14) if scale else np.full(len(group), 7)
        made.append((q - 7) * scale)
    return np.concatenate(made)


@settings(max_examples=30, deadline=None)
@given(rows=ROWS, columns=COLUMNS, seed=st.integers(0, 1000))
def test_every_weight_lies_in_its_place(rows: int, columns: int, seed: int) -> None:
    matrix = np.random.default_rng(seed).standard_normal((rows, columns)).astype(np.float32)
    tiles, plain = pack(matrix), unpack(pack(matrix), rows, columns)
    assert tiles.nbytes == packed_bytes(rows, columns) == -(-rows // 16) * -(-columns // 64) * TILE_BYTES
    for row, column in {(0, 0), (rows - 1, columns - 1), (rows // 2, columns // 2), (rows // 3, columns // 5)}:
        assert weight_at(tiles, row, column) == plain[row, column]


def test_all_weights_of_a_tile() -> None:
    matrix = np.random.default_rng(3).standard_normal((16, 64))
    tiles, plain = pack(matrix), unpack(pack(matrix), 16, 64)
    assert all(weight_at(tiles, row, column) == plain[row, column] for row in range(16) for column in range(64))


@settings(max_examples=50, deadline=None)
@given(arrays(np.float16, st.tuples(ROWS, COLUMNS), elements=st.floats(-1000, 1000, width=16)))
def test_weights_are_those_of_mlc(matrix: np.ndarray) -> None:
    expected = np.stack([mlc(row) for row in matrix])
    scale = np.abs(expected).max(initial=1e-6)
    np.testing.assert_allclose(unpack(pack(matrix), *matrix.shape), expected, atol=1e-6 * scale)


@settings(max_examples=30, deadline=None)
@given(arrays(np.int8, st.tuples(ROWS, COLUMNS), elements=st.integers(-7, 7)))
def test_what_has_been_quantised_stays(numbers: np.ndarray) -> None:
    numbers[:, ::32] = 7  # the scale is 1
    assert (unpack(pack(numbers.astype(np.float32)), *numbers.shape) == numbers).all()


def test_what_fills_up_tiles_is_zero() -> None:
    tiles = pack(np.full((17, 65), 3.5))
    whole = unpack(tiles, 32, 128)
    assert (whole[:17, :65] == 3.5).all()
    assert not whole[17:].any()
    assert not whole[:, 65:].any()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e6])
def test_weights_that_cannot_be(bad: float) -> None:
    matrix = np.ones((20, 70))
    matrix[18, 68] = bad
    with pytest.raises(HipportError, match="not finite, or too large"):
        pack(matrix)


def test_weights_too_small_for_a_scale_are_zero() -> None:
    numbers, scales = quantise(np.full((1, 32), 1e-9))
    assert (numbers == 8).all()
    assert not scales.any()


def test_rows_are_moved() -> None:
    matrix = np.arange(40, dtype=np.float32)[:, None] * np.ones((1, 32), np.float32)
    order = np.array([39, 3, -1, 0])
    assert unpack(pack(matrix, order), 4, 32)[:, 0] == pytest.approx([39, 3, 0, 0], rel=1e-3)


def test_rope_pairs_are_8_rows_apart() -> None:
    order = qkv_order(2, 1, 64)
    assert sorted(order) == list(range(4 * 64))
    assert list(order[:16]) == [*range(8), *range(32, 40)]
    assert list(order[64:80]) == [*range(64, 72), *range(96, 104)]
    assert list(order[16:18]) == [8, 9]


def test_gate_and_up_take_turns() -> None:
    order = gate_up_order(12, 16)
    assert list(order) == [*range(8), *range(12, 20), *range(8, 12), *[-1] * 4, *range(20, 24), *[-1] * 4]
