"""Libraries of kernels for the CPU target, and what tests of several of them give and expect."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from hipport.builds.cpu.pipeline import prepare
from hipport.builds.request import BuildRequest, CompileSettings, OutputKind
from hipport.llm.weights.formats import Formats
from hipport.toolchain.places import Surroundings
from tests.shared import made_once

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Case:
    """A case: the unit that multiplies, the wavefront size, and the number formats of the weights."""

    unit: str
    wave_size: int
    formats: Formats

    def __str__(self) -> str:
        return f"{self.unit}{self.wave_size}-{self.formats.weights}"


def kernel_library(source: str, case: Case, folders: pytest.TempPathFactory, optimize: str = "0") -> ctypes.CDLL:
    """Return the kernels of a source of this folder, which are built once in a run."""
    unit = () if case.unit == "plain" else (f"-DHIPPORT_LLM_{case.unit.upper()}",)

    def make(folder: Path) -> None:
        request = BuildRequest(
            sources=(str(HERE / source),),
            output=str(folder / "libkernels.so"),
            kind=OutputKind.SHARED,
            settings=CompileSettings(defines=(*case.formats.defines, *unit), optimize=optimize),
            wave_size=case.wave_size,
        )
        build = prepare(request, Surroundings())
        build.write()
        failed = [event.text for event in build.run() if event.failed]
        assert not failed, failed[0]
        build.finish()

    return ctypes.CDLL(str(made_once(folders, f"{Path(source).stem}-{case}", make) / "libkernels.so"))


def address(array: npt.NDArray[Any]) -> ctypes.c_void_p:
    """Return where a contiguous array is."""
    assert array.flags.c_contiguous
    return array.ctypes.data_as(ctypes.c_void_p)


def close(found: npt.NDArray[Any], wanted: npt.NDArray[Any], part: float) -> bool:
    """Return whether no difference exceeds `part` times the largest wanted magnitude. NaN is never close."""
    return bool((np.abs(found - wanted) <= part * np.abs(wanted).max()).all())


@dataclass(frozen=True)
class GrowingRows:
    """Rows [token][width] that additions [addition][token][width] make larger, and norms' weights [norm][width]."""

    residual: np.ndarray
    added: np.ndarray
    weights: np.ndarray

    @classmethod
    def random(cls, growth: float, width: int, tokens: int, count: int) -> GrowingRows:
        """Return rows that grow by up to five orders of magnitude from one norm to the next."""
        numbers = np.random.default_rng(width + int(growth))
        residual = numbers.normal(size=(tokens, width)) / growth
        added = numbers.normal(size=(count, tokens, width)) * growth ** numbers.uniform(-1, 1, (count, 1, 1))
        added[0, 0, 7] = growth * 60
        weights = numbers.uniform(0.5, 2, (count + 1, width)).astype(np.float16)
        return cls(residual.astype(np.float32), added.astype(np.float32), weights)

    def check(self, normalized: np.ndarray) -> None:
        """Assert that rows are normalized before each addition and after the last."""
        rows = self.residual.astype(np.float64)
        for norm, found in enumerate(normalized):
            wanted = rows / np.sqrt((rows * rows).mean(-1, keepdims=True) + 1e-5) * self.weights[norm]
            assert np.abs(found - wanted).max() <= 2e-3 * np.abs(wanted).max()
            rows = rows + self.added[norm] if norm < len(self.added) else rows
