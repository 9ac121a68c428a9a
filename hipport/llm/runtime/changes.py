"""Changes of the logits that a step makes before it samples tokens."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hipport.llm.runtime import binding

Mask: TypeAlias = npt.NDArray[np.int32]
"""A bit for each token of the vocabulary: whether it may be sampled. Token i is bit i % 32 of element i // 32."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes of one token's logits: `values` are added to those of some tokens, and only those in `mask` remain."""

    values: Mapping[int, float]
    mask: Mask | None = None


class StepOptions:
    """The C form of a step's changes and of the rows whose logits are returned. Keeps the arrays alive."""

    def __init__(self, changes: Sequence[Changes | None], rows: Sequence[int]) -> None:
        self._arrays: list[npt.NDArray[Any]] = []
        self.c = binding.StepOptions(logit_count=len(rows), logit_rows=self._ints(rows))
        if any(changes):
            self._add(changes)

    def _add(self, changes: Sequence[Changes | None]) -> None:
        values: list[Mapping[int, float]] = [each.values if each else {} for each in changes]
        masks = [each.mask for each in changes if each and each.mask is not None]
        rows = iter(range(len(masks)))
        self.c.starts = self._ints([0, *np.cumsum([len(each) for each in values])])
        self.c.tokens = self._ints([token for each in values for token in each])
        self.c.values = self._kept(np.array([x for each in values for x in each.values()], np.float32), ctypes.c_float)
        self.c.mask_rows = self._ints([next(rows) if each and each.mask is not None else -1 for each in changes])
        self.c.mask_count = len(masks)
        if masks:
            self.c.masks = self._kept(np.stack(masks), ctypes.c_uint32)

    def _ints(self, values: Sequence[int]) -> Any:
        return self._kept(np.array(values, np.int32), ctypes.c_int32)

    def _kept(self, array: npt.NDArray[Any], kind: Any) -> Any:
        """Return a pointer to an array, which stays as long as this object."""
        self._arrays.append(array)
        return ctypes.cast(array.ctypes.data, ctypes.POINTER(kind))
