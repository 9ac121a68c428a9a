"""Weights that are made up, for measuring and trying: the shape of a real model, and nothing to download."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hipport.llm.config import ModelConfig
from hipport.llm.pack import TILE_BYTES, WEIGHT_BYTES, Bytes, packed_bytes
from hipport.llm.plan import Array, Wanted, wanted

_SPREAD = math.sqrt((16**2 - 1) / 12)
"""Standard deviation of numbers from 0 to 15 that are all equally likely."""


@dataclass(frozen=True, slots=True)
class RandomWeights:
    """A source of tensors as `Checkpoint` is one; the same seed makes the same."""

    config: ModelConfig
    seed: int = 0

    def tensors(self) -> Iterator[tuple[Wanted, Array]]:
        """The engine's tensors, one at a time. Products keep the size of their vectors, so that nothing overflows."""
        random = np.random.Generator(np.random.SFC64(self.seed))
        for tensor in wanted(self.config):
            yield tensor, _made(random, tensor)


def _made(random: np.random.Generator, tensor: Wanted) -> Array:
    if tensor.packed:
        return _tiles(random, *tensor.shape)
    if tensor.name.endswith("norm"):
        return np.ones(tensor.shape, np.float16)
    return random.standard_normal(tensor.shape, np.float32).astype(np.float16)


def _tiles(random: np.random.Generator, rows: int, columns: int) -> Bytes:
    tiles = np.frombuffer(bytearray(random.bytes(packed_bytes(rows, columns))), np.uint8).reshape(-1, TILE_BYTES)
    scale = np.array([1.0 / (_SPREAD * math.sqrt(columns))], np.float16)
    tiles[:, WEIGHT_BYTES:] = np.tile(scale.view(np.uint8), (TILE_BYTES - WEIGHT_BYTES) // 2)
    return tiles
