"""What ships with `hipport llm`, built for several AMD GPUs at once, for all tests that run it or read its code.

A library with code for several targets has one host side to compile. The cache gets it for each of the targets, under
the name of a library for this target alone, so that `hipport llm ... --emulate` takes it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import hipport
from hipport.builds.shipped import Target, cached_path
from hipport.llm.harness import binding
from hipport.llm.runtime import library as engines
from hipport.llm.weights.formats import USUAL, Formats
from hipport.toolchain.places import Surroundings
from tests.shared import EVERYTHING, made_once


@dataclass(frozen=True)
class Library:
    """An engine, or with `kernels` the harness of single kernels, and its targets; `general` as for the engine."""

    targets: tuple[str, ...]
    formats: Formats = USUAL
    general: int = 0
    kernels: bool = False

    def __str__(self) -> str:
        formats = (self.formats.weights, self.formats.cache, self.formats.activations)
        kind = "kernels" if self.kernels else f"engine-{'-'.join(formats)}-{self.general}"
        return f"{kind}-{'-'.join(self.targets)}"

    def sources(self) -> list[Path]:
        """Return the CUDA files in it."""
        return sorted((Path(hipport.__file__).parent / "llm" / ("harness" if self.kernels else "engine")).rglob("*.cu"))

    def path(self, target: Target) -> Path:
        """Return the library for a target, built if needed."""
        if self.kernels:
            return binding.library(target, Surroundings(), _quiet)
        return engines.library(target, Surroundings(), _quiet, formats=self.formats, general=self.general)

    def build(self) -> Path:
        """Return the library for all targets, and put it in the cache for each of them."""
        path = self.path(Target("amd", self.targets))
        with pytest.MonkeyPatch.context() as patch:
            for module in (binding, engines):
                patch.setattr(module, "built", _cached)
            places = [self.path(Target("amd", (target,))) for target in self.targets]
        for place in (place for place in places if place != path):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.unlink(missing_ok=True)
            place.hardlink_to(path)
        return path


USUAL_ENGINE = Library(("gfx90a", "gfx1030", "gfx1100"))
"""Matrix units of both kinds, and none; wavefronts of 64 and of 32."""
GENERAL_ENGINE = Library(("gfx942", "gfx1201"), general=64)
"""For the other MFMA and WMMA, and for models that differ from Llama."""
NATIVE_ENGINE = Library(("gfx1100",), Formats("native"))
_KINDS = ("gfx942", "gfx1030", "gfx1100")
"""MFMA, no matrix instructions, WMMA."""
KERNELS = Library(("gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201") if EVERYTHING else _KINDS, kernels=True)

Libraries = Callable[[Library], Path]


def in_cache(factory: pytest.TempPathFactory, cache: Path) -> Libraries:
    """Return a function that builds a library once for all workers and returns its path."""

    def path(library: Library) -> Path:
        def fill(folder: Path) -> None:
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("XDG_CACHE_HOME", str(cache))
                (folder / "library.so").symlink_to(library.build())

        return (made_once(factory, f"amd-{library}", fill) / "library.so").resolve()

    return path


def _quiet(line: str) -> None:
    pass


def _cached(shipped: object, target: Target, where: Surroundings, progress: object, **how: object) -> Path:
    return cached_path(shipped, target, where, **how)  # type: ignore[arg-type]
