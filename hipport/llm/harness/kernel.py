"""What the harness knows of a kernel: what it is called with, what comes out, and what work that is."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from hipport.llm.plan import Array

Sizes = Mapping[str, int]
Limit = Literal["read", "copy", "flops"]


@dataclass(frozen=True, slots=True)
class Output:
    """A buffer that the kernel fills. Before the call it holds NaN, or -1 in integers."""

    shape: tuple[int, ...]
    dtype: npt.DTypeLike = np.float16

    def poisoned(self) -> Array:
        """What it holds before."""
        size = int(np.prod(self.shape)) * np.dtype(self.dtype).itemsize
        poison: Array = np.full(size, 0xFF, np.uint8).view(self.dtype).reshape(self.shape)
        return poison


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a kernel. `expected` gives what buffers hold afterwards, in double precision, by their number.

    Of `scratch` nothing is known afterwards; all other buffers must be left as they were.
    """

    sizes: Sequence[int]
    buffers: Sequence[Array | Output | None]
    expected: Callable[[], Mapping[int, Array]]
    numbers: Sequence[float] = ()
    scratch: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Work:
    """Bytes that a call must read and write at least, and its floating point operations."""

    bytes: int
    flops: int = 0


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel: `checks` are the sizes at which it is checked, `timed` those at which its speed is measured.

    `drawn`: what further sizes are made of by chance. `tolerance`: of the largest difference to the reference, as a
    part of the reference's largest value.
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
        """Sizes by chance."""
        return {name: int(random.choice(values)) for name, values in self.drawn.items()}


def kernels() -> dict[str, Kernel]:
    """All kernels, by name."""
    from hipport.llm.harness import kernels as package

    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    return {name: importlib.import_module(f"{package.__name__}.{name}").KERNEL for name in names}


def halves(random: np.random.Generator, *shape: int, scale: float = 1.0) -> Array:
    """Normal numbers in half precision."""
    made: Array = (random.standard_normal(shape, np.float32) * scale).astype(np.float16)
    return made


def doubles(values: Array) -> Array:
    """The same in double precision."""
    made: Array = values.astype(np.float64)
    return made
