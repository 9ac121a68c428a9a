"""Build programs for the CPU target with the installed command."""

from __future__ import annotations

import hashlib
import itertools
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.shared import EVERYTHING, made_once

PROGRAMS = Path(__file__).parent / "programs"
COMPILERS = ("clang++", "g++")

Builder = Callable[..., "Built"]


@dataclass(frozen=True)
class Built:
    """A program that was built."""

    path: Path

    def run(
        self, *arguments: str, seconds: int = 120, text: str = "", **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run it with arguments, standard input and additional environment variables."""
        return subprocess.run(
            [self.path, *arguments], capture_output=True, text=True, timeout=seconds, input=text,
            env={**os.environ, **variables},
        )  # fmt: skip


def build(folder: Path, sources: list[Path], *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hipport", "build", "--target", "cpu", *map(str, sources)]
    return subprocess.run([*command, "-o", str(folder / "program"), *options], capture_output=True, text=True)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Builder:
    """A function that builds each combination of sources and options once for all workers."""

    def make(sources: list[Path], *options: str) -> Built:
        def fill(folder: Path) -> None:
            done = build(folder, sources, *options)
            assert done.returncode == 0, done.stderr

        key = hashlib.sha256(repr((sources, options)).encode()).hexdigest()[:16]
        return Built(made_once(tmp_path_factory, f"cpu-{key}", fill) / "program")

    return make


def combined(*choices: Sequence[str]) -> list[tuple[str, ...]]:
    """Return all combinations, or as few as have every choice of the longest and of the others."""
    if EVERYTHING:
        return list(itertools.product(*choices))
    count = max(map(len, choices))
    return [tuple(each[at % len(each)] for each in choices) for at in range(count)]


@pytest.fixture(params=COMPILERS)
def compiler(request: pytest.FixtureRequest) -> str:
    """The newest g++ and the newest clang++."""
    name: str = request.param
    if name == "g++":
        assert shutil.which("g++"), "g++ is missing"
    return name
