"""Weights that are made up, for measuring and trying: the shape of a real model, and nothing to download."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hipport.llm.config import ModelConfig
from hipport.llm.formats import USUAL, Formats
from hipport.llm.plan import Array, Wanted, wanted


@dataclass(frozen=True, slots=True)
class RandomWeights:
    """A source of tensors as `Checkpoint` is one; the same seed makes the same."""

    config: ModelConfig
    seed: int = 0
    formats: Formats = USUAL

    def tensors(self) -> Iterator[tuple[Wanted, Array]]:
        """The engine's tensors, one at a time. Products keep the size of their vectors, so that nothing overflows."""
        random = np.random.Generator(np.random.SFC64(self.seed))
        for tensor in wanted(self.config, self.formats.packing):
            yield tensor, _made(random, tensor, self.formats.number)


def _made(random: np.random.Generator, tensor: Wanted, kind: np.dtype[np.generic]) -> Array:
    if tensor.packing:
        return tensor.packing.random(random, tensor.bytes, 1.0 / math.sqrt(tensor.shape[1]))
    if tensor.name.endswith("norm"):
        return np.ones(tensor.shape, kind)
    return random.standard_normal(tensor.shape, np.float32).astype(kind)
