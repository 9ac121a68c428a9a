"""Kernels for the formats of model files: weights are decoded as by gguf, products are those of double precision.

`HIPPORT_TEST_ALL=1` multiplies all formats in all sizes.
"""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from gguf import GGMLQuantizationType

from hipport.llm.sources.gguf.native import read_native
from hipport.llm.weights.formats import Formats
from hipport.llm.weights.native import FORMATS, Native, native
from tests.llm.kernels.libraries import Case, address, close, kernel_library
from tests.llm.native_blocks import KINDS, any_blocks, decoded, random_blocks
from tests.shared import EVERYTHING

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

UNITS = (("plain", 32), ("plain", 64), ("mfma", 64), ("wmma", 32))
CASES = [Case(*unit, Formats("native")) for unit in UNITS]
MORE = 128
"""Activations have memory for so many tokens more."""


@pytest.fixture(scope="module", params=CASES, ids=str)
def kernels(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    return kernel_library("native_kernels.cu", request.param, tmp_path_factory)


def decode(kernels: ctypes.CDLL, matrix: Native) -> np.ndarray:
    data, out = matrix.packed(), np.full(matrix.shape, np.nan, np.float32)
    form = matrix.format.number, matrix.group
    assert kernels.decode_native(address(data), ctypes.c_int64(len(data)), *form, *matrix.shape, address(out)) == 0
    return out


def random_matrix(name: str, rows: int, columns: int, seed: int) -> Native:
    """Return a matrix in a type of GGUF files or in one of the formats that they lack."""
    random = np.random.default_rng(seed)
    if name == "sixteen":
        return native(name, 64, random.standard_normal((rows, columns)).astype(np.float16))
    if name == "four_zero":
        codes, zeros = random.integers(0, 16, (rows, columns), np.uint8), random.integers(0, 17, (rows, columns // 64))
        return native(name, 64, codes, random.uniform(-0.2, 0.2, zeros.shape), zeros)
    if name == "fp8":
        codes = random.integers(0, 256, (rows, columns), np.uint8)
        codes[codes & 127 == 127] = 3
        return native(name, 128, codes, random.uniform(0.001, 0.01, (rows, columns // 128)))
    return read_native(random_blocks(name, rows, columns, random), GGMLQuantizationType[name])


OTHERS = ("sixteen", "four_zero", "fp8")


@pytest.mark.parametrize("name", KINDS)
def test_any_bits_are_decoded_as_by_the_package(name: str, kernels: ctypes.CDLL) -> None:
    data = any_blocks(name, 7, 512, np.random.default_rng(1))
    found, wanted = decode(kernels, read_native(data, GGMLQuantizationType[name])), decoded(data, name)
    assert ((found == wanted) | (np.isnan(found) & np.isnan(wanted))).all()


@pytest.mark.parametrize("name", OTHERS)
def test_others_are_decoded_as_numpy_does(name: str, kernels: ctypes.CDLL) -> None:
    matrix = random_matrix(name, 5, 384, 2)
    assert (decode(kernels, matrix) == matrix.floats()).all()


def test_all_formats_are_tested() -> None:
    assert {random_matrix(name, 1, 256, 0).format for name in (*KINDS, *OTHERS)} == set(FORMATS.values())


def test_groups_and_sizes_that_cannot_be(kernels: ctypes.CDLL) -> None:
    out = np.zeros(4096, np.float32)
    for format_number, group, size in ((5, 32, 1), (5, 24, 64 * 16), (5, 4, 64 * 16), (99, 32, 64 * 16), (5, 512, 64)):
        data = np.zeros(size, np.uint8)
        status = kernels.decode_native(address(data), ctypes.c_int64(size), format_number, group, 4, 256, address(out))
        assert status == 1


SIZES = ((33, 768, 1), (50, 256, 3), (83, 512, 21), (130, 1280, 70))
"""Rows, columns and tokens of products; one or three tokens, and 21 or 70, are computed by the same kernels."""
PRODUCTS = [
    (*size, name)
    for index, name in enumerate((*KINDS, *OTHERS))
    for size in (SIZES if EVERYTHING else (SIZES[index % 2], SIZES[2 + index % 2]))
]


@pytest.mark.parametrize(("rows", "columns", "tokens", "name"), PRODUCTS)
def test_products(name: str, rows: int, columns: int, tokens: int, kernels: ctypes.CDLL) -> None:
    matrix, random = random_matrix(name, rows, columns, rows), np.random.default_rng(tokens)
    x = np.full((tokens + MORE, columns), np.nan, np.float16)
    x[:tokens] = random.standard_normal((tokens, columns))
    data, out = matrix.packed(), np.full((tokens, rows), np.nan, np.float32)
    kernels.multiply_native(
        address(data), ctypes.c_int64(len(data)), matrix.format.number, matrix.group, *matrix.shape,
        address(x), len(x), tokens, address(out),
    )  # fmt: skip
    wanted = x[:tokens].astype(np.float64) @ matrix.floats().astype(np.float64).T
    # Few tokens are multiplied in single precision; for many the weights are rounded to half precision.
    assert close(out, wanted, 1e-5 if tokens <= 4 else 1e-3)


@pytest.mark.parametrize(("experts", "count"), [(7, 2), (8, 8), (128, 8), (130, 5), (512, 32)])
@pytest.mark.parametrize("of_all", [False, True])
def test_choice_of_experts(kernels: ctypes.CDLL, experts: int, count: int, of_all: bool) -> None:
    numbers = np.random.default_rng(experts)
    splits, tokens = 3, 4
    # Few values, so that many logits are equal, and zeros of both signs.
    parts = numbers.integers(-2, 3, (splits, tokens, experts)).astype(np.float32) * np.float32(0.5)
    parts[:, 1] = np.where(numbers.random(experts) < 0.5, -0.0, 0.0)
    logits = parts.sum(0)
    positions = np.array([0, 5, -1, 9], np.int32)
    chosen, weights = np.full((tokens, count), -2, np.int32), np.full((tokens, count), np.nan, np.float32)
    sizes = splits, tokens, experts, count, int(of_all)
    kernels.choose_experts(address(parts), *sizes, address(positions), address(chosen), address(weights))
    assert (chosen[2] == -1).all()
    for token in (0, 1, 3):
        expected = np.argsort(-logits[token], kind="stable")[:count]
        assert (chosen[token] == expected).all()
        powers = np.exp(logits[token].astype(np.float64) - logits[token].max())
        assert np.allclose(weights[token], powers[expected] / (powers if of_all else powers[expected]).sum(), rtol=1e-5)


@pytest.mark.parametrize(
    ("experts", "count", "groups", "chosen_groups", "best"),
    [(8, 3, 4, 2, 1), (8, 3, 4, 2, 2), (6, 6, 1, 1, 1), (256, 8, 8, 4, 2), (512, 32, 64, 16, 2), (160, 6, 8, 3, 1)],
)
@pytest.mark.parametrize(("scores", "biased", "normalized"), [(1, False, False), (2, True, True), (1, True, True)])
def test_routing(
    kernels: ctypes.CDLL, experts: int, count: int, groups: int, chosen_groups: int, best: int,
    scores: int, biased: bool, normalized: bool,
) -> None:  # fmt: skip
    numbers, tokens, scale = np.random.default_rng(experts + scores), 4, 2.5
    logits = numbers.standard_normal((tokens, experts), np.float32)
    bias = numbers.standard_normal(experts, np.float32) * np.float32(0.1) if biased else None
    positions = np.array([0, 5, -1, 9], np.int32)
    chosen, weights = np.full((tokens, count), -2, np.int32), np.full((tokens, count), np.nan, np.float32)
    kernels.route_experts(
        address(logits), None if bias is None else address(bias), tokens, experts, count, scores, groups, chosen_groups,
        best, int(normalized), ctypes.c_float(scale), address(positions), address(chosen), address(weights),
    )  # fmt: skip
    assert (chosen[2] == -1).all()
    for token in (0, 1, 3):
        own = np.exp(logits[token].astype(np.float64))
        own = own / own.sum() if scores == 1 else own / (1 + own)
        choices = own if bias is None else own + bias
        of_groups = np.sort(choices.reshape(groups, -1), axis=1)[:, -best:].sum(axis=1)
        left_out = np.argsort(-of_groups)[chosen_groups:]
        choices = choices.reshape(groups, -1).copy()
        choices[left_out] = -np.inf
        expected = np.argsort(-choices.ravel())[:count]
        assert (chosen[token] == expected).all()
        divisor = own[expected].sum() if normalized else 1.0
        assert np.allclose(weights[token], own[expected] / divisor * scale, rtol=1e-5)


def test_scores_that_are_no_numbers_come_last(kernels: ctypes.CDLL) -> None:
    logits, position = np.array([[np.nan, -1, np.nan, -2, 3, -3, -4, -5]], np.float32), np.zeros(1, np.int32)
    chosen, weights = np.full((1, 3), -2, np.int32), np.full((1, 3), np.nan, np.float32)
    kernels.route_experts(
        address(logits), None, 1, 8, 3, 2, 4, 2, 2, 0, ctypes.c_float(1), address(position), address(chosen),
        address(weights),
    )  # fmt: skip
    assert chosen.tolist() == [[4, 5, 6]]
    assert np.isfinite(weights).all()


def test_experts_whose_logits_are_no_numbers_come_last(kernels: ctypes.CDLL) -> None:
    logits = np.array([[np.nan, -1, np.nan, -2, -np.inf, -3, -4, -5]], np.float32)
    chosen, weights = np.full((1, 3), -2, np.int32), np.full((1, 3), np.nan, np.float32)
    position = np.zeros(1, np.int32)
    kernels.choose_experts(address(logits), 1, 1, 8, 3, 0, address(position), address(chosen), address(weights))
    assert chosen.tolist() == [[1, 3, 5]]
    assert np.isclose(weights.sum(), 1)


@pytest.mark.parametrize(("tokens", "count", "experts", "tile"), [(1, 2, 4, 64), (50, 3, 5, 16), (700, 8, 64, 64)])
def test_sorted_pairs(kernels: ctypes.CDLL, tokens: int, count: int, experts: int, tile: int) -> None:
    numbers = np.random.default_rng(tokens)
    chosen = np.array([numbers.permutation(experts)[:count] for _ in range(tokens)], np.int32)
    chosen[numbers.random(tokens) < 0.1] = -1  # unused slots
    pairs = chosen.size
    tiles = np.full((pairs // tile + min(pairs, experts), 3), -9, np.int32)
    ordered = np.full(pairs + min(pairs, experts) * 7, -9, np.int32)
    kernels.sort_experts(address(chosen), pairs, experts, tile, len(tiles), address(ordered), address(tiles))
    used = tiles[tiles[:, 2] > 0]
    assert (used[:, 2] <= tile).all()
    assert ((tiles == 0) | (tiles[:, 2:] > 0)).all()
    of_tiles = np.concatenate([ordered[first : first + size] for _, first, size in used] or [ordered[:0]])
    assert sorted(of_tiles.tolist()) == np.flatnonzero(chosen.ravel() >= 0).tolist()
    for expert, first, size in used:
        assert (chosen.ravel()[ordered[first : first + size]] == expert).all()
        assert first % 8 == 0
    assert (ordered >= 0).sum() == len(of_tiles)
    assert ((ordered >= 0) | (ordered == -1)).all()


@pytest.mark.parametrize(("columns", "stride", "share"), [(128, 128, 1), (256, 192, 3)])
def test_pairs_in_the_order_of_native_weights(kernels: ctypes.CDLL, columns: int, stride: int, share: int) -> None:
    rows = 5
    pairs = np.array([7 % (rows * share), -1, 0, 3, -1, rows * share - 1, 2, 1, 4], np.int32)
    activations = np.random.default_rng(stride).standard_normal((rows, stride)).astype(np.float16)
    out = np.full((columns // 64, len(pairs), 64), np.nan, np.float16)
    kernels.arrange_pairs(address(activations), rows, stride, share, address(pairs), len(pairs), columns, address(out))
    wanted = np.zeros((len(pairs), columns), np.float16)
    wanted[pairs >= 0, :stride] = activations[pairs[pairs >= 0] // share]
    # Of 128 columns, block b has the eighths b of four times 32; of eight columns, i and i + 4 are neighbors.
    blocks = wanted.reshape(len(pairs), columns // 128, 4, 4, 2, 4).transpose(0, 1, 3, 2, 5, 4)
    # Piece i of a block has word i of each of its eighths.
    pieces = blocks.transpose(0, 1, 2, 4, 3, 5).reshape(len(pairs), columns // 64, 8, 8)
    for place in range(len(pairs)):
        found = out[:, place].reshape(-1, 8, 8)[:, np.arange(8) ^ place % 8]
        assert np.array_equal(found, pieces[place])
