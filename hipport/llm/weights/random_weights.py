"""Random weights for measurements and trials: the shape of a real model without a download."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hipport.llm.model.config import ModelConfig
from hipport.llm.weights.formats import USUAL, Formats
from hipport.llm.weights.native import Layout
from hipport.llm.weights.planes import engine_tensors, plane_layout
from hipport.llm.weights.random_native import random_layout, random_native
from hipport.llm.weights.tensors import Array, Part, Wanted


@dataclass(frozen=True, slots=True)
class RandomWeights:
    """A source of random tensors with the interface of `Checkpoint`; the same seed gives the same tensors."""

    config: ModelConfig
    seed: int = 0
    formats: Formats = USUAL

    def wanted(self) -> Iterator[Wanted]:
        """Yield the engine's tensors."""
        return engine_tensors(self.config, self.formats, self._layout)

    def _layout(self, part: Part, rows: int, columns: int) -> Layout:
        if self.formats.native:
            return random_layout(part.name, rows, columns)
        return plane_layout(self.formats, rows, columns)

    def tensors(self) -> Iterator[tuple[Wanted, Array]]:
        """Yield the engine's tensors. Products keep the magnitude of their vectors, so that nothing overflows."""
        random = np.random.Generator(np.random.SFC64(self.seed))
        for tensor in self.wanted():
            yield tensor, _made(random, tensor, self.formats.number)


def _made(random: np.random.Generator, tensor: Wanted, kind: np.dtype[np.generic]) -> Array:
    if tensor.layout:
        return random_native(random, tensor.layout, 1.0 / math.sqrt(tensor.shape[1]), kind).packed()
    if tensor.packing:
        return tensor.packing.random(random, tensor.bytes, 1.0 / math.sqrt(tensor.shape[1]))
    if tensor.name.endswith("norm"):
        return np.ones(tensor.shape, kind)
    return random.standard_normal(tensor.shape, np.float32).astype(np.float32 if tensor.floats else kind)
