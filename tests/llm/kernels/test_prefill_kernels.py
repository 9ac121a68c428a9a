"""The prefill kernels on random shapes, in double precision: without and with emulated matrix units."""

from __future__ import annotations

import ctypes

import numpy as np
import numpy.typing as npt
import pytest

from hipport.llm.weights.formats import Formats
from hipport.llm.weights.packing import pack, unpack
from tests.llm.kernels.libraries import Case, GrowingRows, address, close, kernel_library

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

PAGE = 32
ROWS = 128
"""Activations have memory for so many tokens more."""
Halves = npt.NDArray[np.float16]


CASES = [
    Case("plain", 32, Formats()),
    Case("plain", 64, Formats("q4f16_128")),
    Case("mfma", 64, Formats()),
    Case("wmma", 32, Formats("16bit")),
]


@pytest.fixture(scope="module", params=CASES, ids=str)
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


@pytest.fixture(scope="module")
def kernels(case: Case, tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The library of kernels for a case."""
    return kernel_library("prefill_kernels.cu", case, tmp_path_factory, "1")


@pytest.mark.parametrize(
    ("division", "rows", "columns", "tokens"),
    [
        (0, 208, 256, 129),
        (1, 112, 128, 5),
        (2, 80, 384, 65),
        (2, 144, 640, 3),
        (3, 48, 640, 7),
        (3, 176, 256, 33),
        (4, 304, 640, 19),
        (4, 48, 128, 37),
    ],
)
def test_products(case: Case, kernels: ctypes.CDLL, division: int, rows: int, columns: int, tokens: int) -> None:
    random = np.random.default_rng(rows + tokens)
    packing = case.formats.packing
    tiles = pack(random.standard_normal((rows, columns), np.float32), packing)
    stride = columns + 64
    x = np.full((tokens + ROWS, stride), np.nan, np.float16)
    x[:tokens, :columns] = random.standard_normal((tokens, columns))
    before = random.standard_normal((tokens, rows), np.float32)
    out = before.copy()
    kernels.multiply_tokens(
        division, address(tiles), *tiles.shape[:2], address(x), len(x), stride, tokens, address(out)
    )
    weights = unpack(tiles, packing, rows, columns).astype(np.float64)
    assert close(out, before + x[:tokens, :columns].astype(np.float64) @ weights.T, 1e-3)


@pytest.mark.parametrize(
    ("heads", "kv_heads", "width", "first", "count"),
    [(2, 2, 64, 0, 1), (4, 2, 64, 0, 77), (6, 2, 64, 45, 70), (2, 1, 128, 0, 64), (3, 1, 128, 17, 93)],
)
def test_attention(kernels: ctypes.CDLL, heads: int, kv_heads: int, width: int, first: int, count: int) -> None:
    random = np.random.default_rng(first + count)
    length = first + count
    pages = random.permutation(-(-length // PAGE) + 2).astype(np.int32)
    # Positions that nothing has been written to hold NaN, which must not be looked at.
    cache = np.full((len(pages), 2, kv_heads, PAGE, width), np.nan, np.float16)
    keys, values = (random.standard_normal((length, kv_heads, width)).astype(np.float16) for _ in range(2))
    for position in range(length):
        cache[pages[position // PAGE], :, :, position % PAGE] = keys[position], values[position]
    queries = np.full((count + ROWS, heads, width), np.nan, np.float16)
    queries[:count] = 2 * random.standard_normal((count, heads, width))
    out = np.full_like(queries, np.nan)
    kernels.attend_tokens(
        heads, kv_heads, width, address(cache), cache.size, address(pages), len(pages), first, count,
        address(queries), address(out), len(queries),
    )  # fmt: skip
    assert close(out[:count], attended(queries[:count], keys, values, first), 2e-3)
    assert np.isnan(out[count:]).all()


def attended(queries: Halves, keys: Halves, values: Halves, first: int) -> npt.NDArray[np.float64]:
    """Return each token's attention to the positions up to its own, [token][head][dimension]."""
    count, heads, width = queries.shape
    group = heads // keys.shape[1]
    q, k, v = (array.astype(np.float64).transpose(1, 0, 2) for array in (queries, keys, values))
    scores = q @ np.repeat(k, group, axis=0).transpose(0, 2, 1) / np.sqrt(width)
    visible = np.arange(len(keys)) <= first + np.arange(count)[:, None]
    weights = np.exp(np.where(visible, scores - scores.max(axis=2, keepdims=True), -np.inf))
    mixed: npt.NDArray[np.float64] = weights / weights.sum(axis=2, keepdims=True) @ np.repeat(v, group, axis=0)
    return mixed.transpose(1, 0, 2)


@pytest.mark.parametrize(("width", "count"), [(64, 3), (1728, 2), (8192, 1)])
def test_normalisation(kernels: ctypes.CDLL, width: int, count: int) -> None:
    random = np.random.default_rng(width)
    x = (3 * random.standard_normal((count, width))).astype(np.float32)
    weights = (1 + 0.1 * random.standard_normal(width)).astype(np.float16)
    out = np.full((count, width), np.nan, np.float16)
    kernels.normalize_tokens(address(x), address(weights), width, count, ctypes.c_float(1e-5), address(out))
    exact = x.astype(np.float64)
    wanted = exact / np.sqrt((exact**2).mean(axis=1, keepdims=True) + 1e-5) * weights.astype(np.float64)
    assert close(out, wanted, 1e-3)


@pytest.mark.parametrize(("columns", "stride", "tokens"), [(64, 64, 1), (128, 96, 13), (192, 192, 40)])
def test_arranged_tokens(kernels: ctypes.CDLL, columns: int, stride: int, tokens: int) -> None:
    room = tokens + 8
    activations = np.random.default_rng(columns).standard_normal((tokens, stride)).astype(np.float16)
    out = np.full((columns // 64, room, 64), np.nan, np.float16)
    kernels.arrange_tokens(address(activations), stride, tokens, columns, room, address(out))
    padded = np.zeros((tokens, columns), np.float16)
    padded[:, :stride] = activations
    # Of a block of 32 columns, piece i has word i of each eighth; pieces are permuted by the token.
    words = padded.reshape(tokens, columns // 64, 2, 4, 4, 2).transpose(1, 0, 2, 4, 3, 5)
    pieces = words.reshape(columns // 64, tokens, 8, 8)
    for token in range(tokens):
        places = np.arange(8) ^ token % 8
        assert np.array_equal(out[:, token].reshape(-1, 8, 8)[:, places], pieces[:, token])
    assert np.isnan(out[:, tokens:]).all()


@pytest.mark.parametrize(("width", "tokens"), [(64, 1), (192, 13), (4096, 9)])
def test_rows_are_normalized_into_the_arranged_order(kernels: ctypes.CDLL, width: int, tokens: int) -> None:
    random = np.random.default_rng(width)
    x = (3 * random.standard_normal((tokens, width))).astype(np.float32)
    weights = (1 + 0.1 * random.standard_normal(width)).astype(np.float16)
    plain = np.full((tokens, width), np.nan, np.float16)
    kernels.normalize_tokens(address(x), address(weights), width, tokens, ctypes.c_float(1e-5), address(plain))
    room = tokens + 8
    wanted, out = (np.full((width // 64, room, 64), np.nan, np.float16) for _ in range(2))
    kernels.arrange_tokens(address(plain), width, tokens, width, room, address(wanted))
    kernels.normalize_to_arranged(address(x), address(weights), width, tokens, ctypes.c_float(1e-5), room, address(out))
    assert np.isfinite(out[:, :tokens]).all()
    assert np.array_equal(out, wanted, equal_nan=True)


@pytest.mark.parametrize("growth", [1.0, 30.0, 150.0])
@pytest.mark.parametrize(("width", "tokens", "count"), [(256, 8, 5), (4096, 16, 2)])
def test_carried_norms(kernels: ctypes.CDLL, growth: float, width: int, tokens: int, count: int) -> None:
    """Rows that grow by up to five orders of magnitude from one norm to the next are normalized."""
    given, epsilon = GrowingRows.random(growth, width, tokens, count), ctypes.c_float(1e-5)
    out = np.zeros((count + 1, tokens, width), np.float32)
    arrays = map(address, (given.residual, given.added, given.weights))
    kernels.carry_norms(*arrays, width, tokens, count, epsilon, address(out))
    given.check(out)
