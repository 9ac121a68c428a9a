"""What finishes the products of a step with matrices in the formats of model files.

Only Hopper's steps of many sequences run these kernels; the CPU target runs them here.
"""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

from hipport.builds.cpu.pipeline import prepare
from hipport.builds.request import BuildRequest, CompileSettings, OutputKind
from hipport.llm.weights.formats import Formats
from hipport.toolchain.places import Surroundings
from tests.llm.kernels.test_prefill_kernels import address
from tests.shared import made_once

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

HERE = Path(__file__).parent
SPLITS = 3
PAGE = 32


@pytest.fixture(scope="module", params=[32, 64])
def kernels(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    def make(folder: Path) -> None:
        build = prepare(
            BuildRequest(
                sources=(str(HERE / "step_kernels.cu"),),
                output=str(folder / "libkernels.so"),
                kind=OutputKind.SHARED,
                settings=CompileSettings(defines=Formats("native").defines, optimize="0"),
                wave_size=request.param,
            ),
            Surroundings(),
        )
        build.write()
        failed = [event.text for event in build.run() if event.failed]
        assert not failed, failed[0]
        build.finish()

    return ctypes.CDLL(str(made_once(tmp_path_factory, f"step-{request.param}", make) / "libkernels.so"))


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
    numbers = np.random.default_rng(width + int(growth))
    residual = (numbers.normal(size=(tokens, width)) / growth).astype(np.float32)
    added = (numbers.normal(size=(count, tokens, width)) * growth ** numbers.uniform(-1, 1, (count, 1, 1))).astype(
        np.float32
    )
    added[0, 0, 7] = growth * 60
    weights = numbers.uniform(0.5, 2, (count + 1, width)).astype(np.float16)
    out = np.zeros((count + 1, tokens, width), np.float32)
    epsilon, parts = ctypes.c_float(1e-5), np.ascontiguousarray(split(numbers, added))
    kernels.carry_norms(*map(address, (residual, parts, weights)), width, tokens, count, epsilon, address(out))
    rows = residual.astype(np.float64)
    for norm in range(count + 1):
        wanted = rows / np.sqrt((rows * rows).mean(-1, keepdims=True) + 1e-5) * weights[norm]
        assert np.abs(out[norm] - wanted).max() <= 2e-3 * np.abs(wanted).max()
        rows = rows + added[norm] if norm < count else rows


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
