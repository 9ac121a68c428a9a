"""Folders of gpt-oss, whose tensors have all experts of a layer, with gate and up in turn: one expert's matrices."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from hipport.llm.weights.native import Native, native, unpacked
from hipport.llm.weights.tensors import Part

Array: TypeAlias = npt.NDArray[Any]
Shapes: TypeAlias = Mapping[str, tuple[int, ...]]

_PART = re.compile(r"(model\.layers\.\d+\.mlp\.experts\.)(?:(\d+)\.)?(gate|up|down)_proj\.(weight|bias)")
_BLOCK = 32


class Get(Protocol):
    """Returns a tensor by name, or with `first` one of the matrices in it."""

    def __call__(self, name: str, first: int | None = None) -> Array: ...


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an expert's matrix or the biases of all experts are: in `stem`, or in every other of its rows."""

    stem: str
    expert: int
    every: int | None

    @property
    def rows(self) -> slice:
        return slice(None) if self.every is None else slice(self.every, None, 2)

    @property
    def twice(self) -> int:
        """How many matrices the tensor has in turn."""
        return 1 if self.every is None else 2


def _place(part: Part) -> _Place | None:
    found = _PART.fullmatch(part.name)
    if found is None:
        return None
    down = found[3] == "down"
    return _Place(
        found[1] + ("down_proj" if down else "gate_up_proj"),
        int(found[2] or 0),
        None if down else int(found[3] == "up"),
    )


@dataclass(frozen=True, slots=True)
class FusedExperts:
    """Tensors that are not quantized: matrices [expert][columns][rows], and biases [expert][rows]."""

    count: int

    def tensors(self, part: Part) -> Shapes | None:
        """Return the tensor that has a part, with its shape; None for parts that are tensors themselves."""
        place = _place(part)
        if place is None:
            return None
        if part.name.endswith(".bias"):
            return {f"{place.stem}_bias": (part.shape[0], part.shape[1] * place.twice)}
        return {place.stem: (self.count, part.shape[1], part.shape[0] * place.twice)}

    def read(self, part: Part, get: Get) -> Array:
        """Return a part; `get` returns tensors."""
        place = _place(part)
        assert place
        if part.name.endswith(".bias"):
            return get(f"{place.stem}_bias")[:, place.rows]
        return np.ascontiguousarray(get(place.stem, place.expert)[:, place.rows].T)


@dataclass(frozen=True, slots=True)
class Mxfp4:
    """Matrices in MXFP4: blocks of 32 codes, the first in the lowest bits, and an exponent for each."""

    count: int

    def tensors(self, part: Part, names: Collection[str]) -> Shapes | None:
        """Return the tensors that a matrix consists of, of those in the folder; None if it is not quantized."""
        place = _place(part)
        if place is None or part.name.endswith(".bias") or f"{place.stem}_blocks" not in names:
            return None
        groups = (self.count, part.shape[0] * place.twice, part.shape[1] // _BLOCK)
        return {f"{place.stem}_blocks": (*groups, _BLOCK // 2), f"{place.stem}_scales": groups}

    def format(self, part: Part) -> tuple[str, int]:
        """Return the engine's format of a matrix, and the columns that share a scale."""
        return "fp4_exponent", _BLOCK

    def read(self, part: Part, get: Get, names: Collection[str]) -> Native:
        """Return a matrix; `get` returns its tensors."""
        place = _place(part)
        assert place
        blocks = np.ascontiguousarray(get(f"{place.stem}_blocks", place.expert)[place.rows])
        scales = np.ascontiguousarray(get(f"{place.stem}_scales", place.expert)[place.rows])
        return native("fp4_exponent", _BLOCK, unpacked(blocks.reshape(len(blocks), -1), 4), scales)
