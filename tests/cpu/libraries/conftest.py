"""Libraries of the CPU target as shared libraries, whose functions Python can call and compare with numpy's."""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from hipport.emulate.library import companion_folder
from hipport.toolchain.places import Surroundings

TYPES = {"S": np.float32, "D": np.float64, "C": np.complex64, "Z": np.complex128}
"""numpy's types for the letters in the names of functions."""
Array = NDArray[np.generic]


class Library:
    """A shared library; its functions return 0 or raise AssertionError."""

    def __init__(self, stem: str) -> None:
        folder = companion_folder(stem, Surroundings(dict(os.environ)), print)
        self._loaded = ctypes.CDLL(str(folder / f"lib{stem}.so"))

    def status(self, name: str, *arguments: object) -> int:
        """Call a function: arrays are passed as pointers to their data, integers as 64 bits."""
        return int(getattr(self._loaded, name)(*map(_passed, arguments)))

    def call(self, name: str, *arguments: object) -> None:
        assert self.status(name, *arguments) == 0, name


def _passed(value: object) -> object:
    if isinstance(value, np.ndarray):
        return ctypes.c_void_p(value.ctypes.data)
    return ctypes.c_int64(value) if isinstance(value, int) else value


Loader = Callable[[str], Library]


@pytest.fixture(scope="session")
def loaded() -> Loader:
    """A function that returns a library, which is compiled and opened once."""
    return functools.cache(Library)


def random(shape: tuple[int, ...], letter: str, seed: int = 0) -> Array:
    """Return a Fortran array of random numbers of the letter's type."""
    generator = np.random.default_rng(seed)
    made = generator.standard_normal(shape)
    if letter in "CZ":
        made = made + 1j * generator.standard_normal(shape)
    return np.asfortranarray(made.astype(TYPES[letter]))


def tolerance(letter: str) -> float:
    """Return the relative error that rounding may cause for small matrices."""
    return 2e-4 if letter in "SC" else 1e-11
