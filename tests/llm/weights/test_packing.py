"""Packed matrices have MLC's numbers, in the layout of kernels/packed_tiles.cuh."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hipport.errors import HipportError
from hipport.llm.weights.formats import PACKED, Formats
from hipport.llm.weights.packing import gate_up_order, packed_bytes, qkv_order
from hipport.llm.weights.packing import pack as pack_as
from hipport.llm.weights.packing import unpack as unpack_as
from hipport.llm.weights.quantization import Floats, Numbers, Quantized, quantize
from hipport.llm.weights.tile_formats import FourBits, Packing

ROWS, COLUMNS = st.integers(1, 40), st.integers(1, 140)
PACKINGS = {name: Formats(name).packing for name in PACKED} | {"bf16": Formats("16bit", activations="bf16").packing}
FOUR_BITS = FourBits(32)


def pack(matrix: Floats, order: Numbers | None = None) -> np.ndarray:
    return pack_as(matrix, FOUR_BITS, order)


def unpack(tiles: np.ndarray, rows: int, columns: int) -> np.ndarray:
    return unpack_as(tiles, FOUR_BITS, rows, columns)


def weight_at(tiles: np.ndarray, packing: Packing, row: int, column: int) -> float:
    """Return one weight, extracted bit by bit as the comments in packed_tiles.cuh describe."""
    tile = tiles[row // 16, column // packing.tile_columns].tobytes()
    upper, g, t, w = row % 16 // 8, row % 8, column % 32 // 8, column % packing.tile_columns
    if not isinstance(packing, FourBits):
        place = w // 32 * 1024 + upper * 512 + (4 * g + t) * 16 + w % 8 * 2
        return float(np.frombuffer(tile[place : place + 2], packing.kind)[0])  # type: ignore[attr-defined]
    word = 2 * (w % 64 // 32) + w % 8 // 4
    place = w // 64 * 512 + (4 * g + t) * 16 + word * 4
    bits = int.from_bytes(tile[place : place + 4], "little") >> ([0, 16, 8, 24][w % 4] + 4 * upper)
    groups = packing.tile_columns // packing.group
    scales = np.frombuffer(tile[8 * packing.tile_columns :], np.float16)
    return float((bits % 16 - 8) * np.float32(scales[g * 2 * groups + upper * groups + w // packing.group]))


def mlc(row: np.ndarray) -> np.ndarray:
    """Return the weights of a row in MLC's q4f16_1 format: q from 0 to 14 stands for (q - 7) * scale."""
    made = []
    for start in range(0, len(row), 32):
        group = row[start : start + 32].astype(np.float32)
        scale = np.float32(np.float16(np.abs(group).max() / 7))
        q = np.clip(np.rint(group / scale + 7), 0, 14) if scale else np.full(len(group), 7)
        made.append((q - 7) * scale)
    return np.concatenate(made)


@pytest.mark.parametrize("packing", PACKINGS.values(), ids=PACKINGS)
@settings(max_examples=15, deadline=None)
@given(rows=ROWS, columns=COLUMNS, seed=st.integers(0, 1000))
def test_every_weight_lies_in_its_place(packing: Packing, rows: int, columns: int, seed: int) -> None:
    matrix = np.random.default_rng(seed).standard_normal((rows, columns)).astype(np.float32)
    tiles = pack_as(matrix, packing)
    plain = unpack_as(tiles, packing, rows, columns)
    wide = -(-columns // packing.tile_columns)
    assert tiles.nbytes == packed_bytes(rows, columns, packing) == -(-rows // 16) * wide * packing.tile_bytes
    for row, column in {(0, 0), (rows - 1, columns - 1), (rows // 2, columns // 2), (rows // 3, columns // 5)}:
        assert weight_at(tiles, packing, row, column) == plain[row, column]


@pytest.mark.parametrize("packing", PACKINGS.values(), ids=PACKINGS)
def test_all_weights_of_a_tile(packing: Packing) -> None:
    columns = packing.tile_columns
    matrix = np.random.default_rng(3).standard_normal((16, columns))
    tiles = pack_as(matrix, packing)
    plain = unpack_as(tiles, packing, 16, columns)
    assert all(
        weight_at(tiles, packing, row, column) == plain[row, column] for row in range(16) for column in range(columns)
    )
    assert np.abs(plain - matrix).max() < (0.01 if packing.tile_bytes == 2048 else 0.4)


@pytest.mark.parametrize(("weights", "bytes_of_128"), [("q4f16_32", 72), ("q4f16_128", 66), ("16bit", 256)])
def test_how_much_weights_take(weights: str, bytes_of_128: int) -> None:
    assert packed_bytes(16, 128, Formats(weights).packing) == 16 * bytes_of_128


@given(st.data())
@settings(max_examples=20, deadline=None)
def test_what_comes_quantized_is_not_touched(data: st.DataObject) -> None:
    numbers = data.draw(arrays(np.uint8, st.tuples(ROWS, st.sampled_from([32, 64, 160])), elements=st.integers(0, 15)))
    scales = np.linspace(0.1, 2, len(numbers) * numbers.shape[1] // 32).astype(np.float16).reshape(len(numbers), -1)
    quantized = Quantized(numbers, scales)
    tiles = pack_as(FOUR_BITS.stacked([quantized, quantized]), FOUR_BITS)
    whole = unpack_as(tiles, FOUR_BITS, 2 * len(numbers), numbers.shape[1])
    assert (whole == np.concatenate([quantized.floats()] * 2)).all()


def test_one_quantized_part_stays_beside_another_that_is_not() -> None:
    quantized = Quantized(np.full((8, 64), 15, np.uint8), np.ones((8, 2), np.float16))
    both = FOUR_BITS.stacked([quantized, np.ones((8, 64), np.float32)])
    assert (pack_as(both, FOUR_BITS) == pack_as(np.repeat([[7.0], [1.0]], 8, 0) * np.ones((1, 64)), FOUR_BITS)).all()


@settings(max_examples=50, deadline=None)
@given(arrays(np.float16, st.tuples(ROWS, COLUMNS), elements=st.floats(-1000, 1000, width=16)))
def test_weights_are_those_of_mlc(matrix: np.ndarray) -> None:
    expected = np.stack([mlc(row) for row in matrix])
    scale = np.abs(expected).max(initial=1e-6)
    np.testing.assert_allclose(unpack(pack(matrix), *matrix.shape), expected, atol=1e-6 * scale)


@settings(max_examples=30, deadline=None)
@given(arrays(np.int8, st.tuples(ROWS, COLUMNS), elements=st.integers(-7, 7)))
def test_what_has_been_quantized_stays(numbers: np.ndarray) -> None:
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
    with pytest.raises(HipportError, match="not finite or too large"):
        pack(matrix)


def test_weights_too_small_for_a_scale_are_zero() -> None:
    quantized = quantize(np.full((1, 32), 1e-9))
    assert (quantized.numbers == 8).all()
    assert not quantized.scales.any()


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
