"""Number formats of weights, KV cache and activations. The engine is built once for each combination."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from hipport.llm.weights.tile_formats import FourBits, Packing, SixteenBits

Weights = Literal["auto", "native", "q4f16_32", "q4f16_128", "16bit"]
Cache = Literal["16bit", "int8"]
Activations = Literal["f16", "bf16"]

PACKED: tuple[Weights, ...] = get_args(Weights)[2:]
"""The formats in which all matrices are packed alike."""
_GROUPS: Mapping[str, int] = {"q4f16_32": 32, "q4f16_128": 128}


@dataclass(frozen=True, slots=True)
class Formats:
    """Number formats of an engine.

    `weights`: 4 bits with a scale for each group of 32 or 128, or the activations' format; `native`: each matrix in the
    format that it has in the model's file; `auto`: what the model's source prefers. `cache`, of keys and values: the
    activations' format or 8 bits. `activations`: half precision or bfloat16.
    """

    weights: Weights = "q4f16_32"
    cache: Cache = "16bit"
    activations: Activations = "f16"

    def chosen(self, preferred: Weights) -> Formats:
        """Replace `auto` with the preferred format of weights."""
        return replace(self, weights=preferred) if self.weights == "auto" else self

    @property
    def native(self) -> bool:
        return self.weights == "native"

    @property
    def packing(self) -> Packing:
        """The format of packed matrices; with `native` weights, which are not packed, only its widths are of use."""
        group = _GROUPS.get(self.weights)
        return FourBits(group) if group else SixteenBits(self.number)

    @property
    def number(self) -> np.dtype[Any]:
        """The data type of activations and of tensors that are not packed."""
        if self.activations == "f16":
            return np.dtype(np.float16)
        import ml_dtypes

        bfloat16: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
        return bfloat16

    @property
    def defines(self) -> tuple[str, ...]:
        """Compiler options for the kernels; none for the default formats."""
        return self.build_defines(0)

    def build_defines(self, general: int) -> tuple[str, ...]:
        """Return compiler options for the kernels; none for the default formats.

        `general`: the width of heads for a build for models that differ from Llama, whose matrices are all in planes;
        otherwise 0.
        """
        planes = self.native or general > 0
        told = {
            "GROUP=128": self.weights == "q4f16_128" and not general,
            "GROUP=0": self.weights == "16bit" or planes,
            "NATIVE=1": planes,
            "GENERAL=1": general > 0,
            f"HEAD_WIDTH={general}": general > 0,
            "INT8_CACHE=1": self.cache == "int8",
            "BF16=1": self.activations == "bf16",
        }
        return tuple(f"-DHIPPORT_LLM_{name}" for name, holds in told.items() if holds)

    def cached_bytes(self, width: int) -> int:
        """Return the bytes of one key or value of a head; with 8 bits, 16 dimensions share a scale."""
        return -(-(width + width // 16 * 2) // 8) * 8 if self.cache == "int8" else 2 * width


USUAL = Formats()
