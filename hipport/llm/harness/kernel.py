"""Descriptions of kernels for the harness: arguments, expected results and amount of work."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from hipport.llm.weights.tensors import Array

Sizes = Mapping[str, int]
Limit = Literal["read", "copy", "flops"]


@dataclass(frozen=True, slots=True)
class Output:
    """A buffer that the kernel fills. Before the call it holds NaN or, for integers, -1."""

    shape: tuple[int, ...]
    dtype: npt.DTypeLike = np.float16

    def poisoned(self) -> Array:
        """Return the contents before the call."""
        size = int(np.prod(self.shape)) * np.dtype(self.dtype).itemsize
        poison: Array = np.full(size, 0xFF, np.uint8).view(self.dtype).reshape(self.shape)
        return poison


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a kernel. `expected` returns the contents of buffers after the call, in double precision, by number.

    The contents of `scratch` buffers are undefined after the call; all other buffers must be left unchanged.
    """

    sizes: Sequence[int]
    buffers: Sequence[Array | Output | None]
    expected: Callable[[], Mapping[int, Array]]
    numbers: Sequence[float] = ()
    scratch: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Work:
    """The fewest bytes that a call must read and write, and its floating-point operations."""

    bytes: int
    flops: int = 0


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel. `checks`: sizes at which it is checked; `timed`: sizes at which its speed is measured.

    `drawn`: values from which random sizes are drawn for more checks. `tolerance`: limit of the largest difference from
    the reference, relative to the reference's largest value.
    """

    name: str
    what: str
    timed: Sizes
    checks: Sequence[Sizes]
    drawn: Mapping[str, Sequence[int]]
    make: Callable[[np.random.Generator, Sizes], Call]
    work: Callable[[Sizes], Work]
    limit: Limit
    tolerance: float = 2e-3

    def draw(self, random: np.random.Generator) -> Sizes:
        """Return random sizes."""
        return {name: int(random.choice(values)) for name, values in self.drawn.items()}


def kernels() -> dict[str, Kernel]:
    """Return all kernels by name."""
    from hipport.llm.harness import kernels as package

    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    return {name: importlib.import_module(f"{package.__name__}.{name}").KERNEL for name in names}


def halves(random: np.random.Generator, *shape: int, scale: float = 1.0) -> Array:
    """Return normally distributed numbers in half precision."""
    made: Array = (random.standard_normal(shape, np.float32) * scale).astype(np.float16)
    return made


def doubles(values: Array) -> Array:
    made: Array = values.astype(np.float64)
    return made
