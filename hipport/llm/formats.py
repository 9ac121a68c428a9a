"""In which numbers the engine keeps weights, keys and values, and computes: a library is built for each combination."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hipport.llm.packing import FourBits, Packing, SixteenBits

_GROUPS: Mapping[str, int] = {"q4f16_32": 32, "q4f16_128": 128}
WEIGHTS = (*_GROUPS, "16bit")
ACTIVATIONS = ("f16", "bf16")


@dataclass(frozen=True, slots=True)
class Formats:
    """`weights`: 4 bits in groups of 32 or 128 with a scale, or 16 bits as the activations; `activations`: 16 bits."""

    weights: str = "q4f16_32"
    activations: str = "f16"

    @property
    def packing(self) -> Packing:
        """How matrices are packed."""
        group = _GROUPS.get(self.weights)
        return FourBits(group) if group else SixteenBits(self.number)

    @property
    def number(self) -> np.dtype[Any]:
        """The type of activations, and of tensors that are not packed."""
        if self.activations == "f16":
            return np.dtype(np.float16)
        import ml_dtypes

        bfloat16: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
        return bfloat16

    @property
    def defines(self) -> tuple[str, ...]:
        """What the kernels are told; nothing where the formats are the usual ones."""
        group = _GROUPS.get(self.weights, 0)
        return (f"-DHIPPORT_LLM_GROUP={group}",) if group != 32 else ()


USUAL = Formats()
