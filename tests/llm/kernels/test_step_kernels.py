"""What finishes the products of a step with matrices in the formats of model files.

Only Hopper's steps of many sequences run these kernels; the CPU target runs them here.
"""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from hipport.llm.weights.formats import Formats
from tests.llm.kernels.libraries import Case, GrowingRows, address, kernel_library

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

SPLITS = 3
PAGE = 32


@pytest.fixture(scope="module", params=[32, 64])
def kernels(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    return kernel_library("step_kernels.cu", Case("plain", request.param, Formats("native")), tmp_path_factory)


def split(numbers: np.random.Generator, whole: np.ndarray) -> np.ndarray:
    """Divide sums into those of some blocks: the second dimension from the right counts tokens."""
    parts = [numbers.normal(size=whole.shape).astype(np.float32) for _ in range(SPLITS - 1)]
    return np.stack([*parts, whole - sum(parts)], axis=-3).astype(np.float32)


@pytest.mark.parametrize("way", [1, 4, 8])
@pytest.mark.parametrize(("tokens", "width"), [(1, 128), (9, 384), (32, 1024)])
def test_columns_are_stored_where_products_read_them(kernels: ctypes.CDLL, way: int, tokens: int, width: int) -> None:
    rows = np.random.default_rng(width).standard_normal((tokens, width)).astype(np.float16)
    wanted, out = (np.full((width // 64, tokens, 64), np.nan, np.float16) for _ in range(2))
    kernels.store_in_order(address(rows), tokens, width, 0, address(wanted))
    kernels.store_in_order(address(rows), tokens, width, way, address(out))
    assert np.isfinite(wanted).all()
    assert np.array_equal(out, wanted)


@pytest.mark.parametrize("growth", [1.0, 30.0, 150.0])
@pytest.mark.parametrize(("width", "tokens", "count"), [(256, 8, 5), (896, 5, 3), (4096, 16, 2)])
def test_carried_norms(kernels: ctypes.CDLL, growth: float, width: int, tokens: int, count: int) -> None:
    """Sums of several blocks are added to rows, which are normalized."""
    given, epsilon = GrowingRows.random(growth, width, tokens, count), ctypes.c_float(1e-5)
    out = np.zeros((count + 1, tokens, width), np.float32)
    parts = np.ascontiguousarray(split(np.random.default_rng(1), given.added))
    arrays = map(address, (given.residual, parts, given.weights))
    kernels.carry_norms(*arrays, width, tokens, count, epsilon, address(out))
    given.check(out)


def test_hidden_columns_by_eights(kernels: ctypes.CDLL) -> None:
    tokens, width = 5, 640
    numbers = np.random.default_rng(5)
    whole = numbers.normal(size=(tokens, 2 * width)).astype(np.float32)
    sums = np.ascontiguousarray(split(numbers, whole))
    pairs, eights, wanted = (np.full((width // 64, tokens, 64), np.nan, np.float16) for _ in range(3))
    kernels.finish_hidden(False, address(sums), tokens, width, address(pairs))
    kernels.finish_hidden(True, address(sums), tokens, width, address(eights))
    gate, up = np.split(sums.sum(0, dtype=np.float64), 2, axis=-1)
    hidden = np.ascontiguousarray((gate / (1 + np.exp(-gate)) * up).astype(np.float16))
    kernels.store_in_order(address(hidden), tokens, width, 0, address(wanted))
    assert np.array_equal(pairs, eights)
    assert np.abs(eights.astype(np.float32) - wanted).max() <= 4e-3


def test_queries_keys_and_values_by_eights(kernels: ctypes.CDLL) -> None:
    """A token without a position writes nothing."""
    tokens, heads, kv_heads, width = 6, 4, 2, 64
    numbers = np.random.default_rng(6)
    rows = (heads + 2 * kv_heads) * width
    sums = np.ascontiguousarray(split(numbers, numbers.normal(size=(tokens, rows)).astype(np.float32)))
    bias = numbers.normal(size=rows).astype(np.float16)
    positions = np.array([0, 3, -1, 15, 7, 1], np.int32)
    angles = numbers.uniform(0, 6, (PAGE, width // 2))
    rope = np.ascontiguousarray(np.stack([np.cos(angles), np.sin(angles)], -1).astype(np.float32))
    found = []
    for eights in (False, True):
        queries = np.full((tokens, heads, width), -7, np.float16)
        cache = np.full((tokens, 2, kv_heads, PAGE, width), -7, np.float16)
        given = address(sums), tokens, heads, kv_heads, *map(address, (positions, bias, rope)), PAGE
        kernels.finish_qkv(eights, *given, address(queries), address(cache))
        found.append((queries, cache))
    for pairs, eights in zip(*found, strict=True):
        assert np.array_equal(pairs, eights)
    queries, cache = found[1]
    assert (queries[2] == -7).all() and (cache[2] == -7).all()
    # The bias is in the order of tiles: eight dimensions, then those that RoPE rotates them with.
    biases = bias.reshape(-1, width // 16, 2, 8).transpose(0, 2, 1, 3).reshape(-1, 2, width // 2)
    whole = sums.sum(0, dtype=np.float64).reshape(tokens, -1, 2, width // 2) + biases
    cosine, sine = np.cos(angles)[positions][:, None], np.sin(angles)[positions][:, None]
    low, high = whole[:, :, 0], whole[:, :, 1]
    turned = np.concatenate([low * cosine - high * sine, high * cosine + low * sine], -1)
    straight = np.concatenate([low, high], -1)
    for token in np.flatnonzero(positions >= 0):
        place = positions[token]
        wanted = turned[token, :heads], turned[token, heads : heads + kv_heads], straight[token, heads + kv_heads :]
        for own, right in zip((queries[token], *cache[token, :, :, place]), wanted, strict=True):
            assert np.abs(own - right).max() <= 2e-2
        others = np.delete(cache[token], place, axis=2)
        assert (others == -7).all()
