"""Builds programs for the CPU target with the installed command."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent / "programs"
COMPILERS = ("clang++", "g++")

Builder = Callable[..., "Built"]


@dataclass(frozen=True)
class Built:
    """A program that was built."""

    path: Path

    def run(self, *arguments: str, seconds: int = 120, text: str = "") -> subprocess.CompletedProcess[str]:
        command = [self.path, *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=seconds, input=text)


def build(folder: Path, sources: list[Path], *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hipport", "build", "--target", "cpu", *map(str, sources)]
    return subprocess.run([*command, "-o", str(folder / "program"), *options], capture_output=True, text=True)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Builder:
    """Builds each combination of sources and options once per session."""
    made: dict[tuple[object, ...], Built] = {}

    def make(sources: list[Path], *options: str) -> Built:
        key = (*sources, *options)
        if key not in made:
            folder = tmp_path_factory.mktemp("cpu")
            done = build(folder, sources, *options)
            assert done.returncode == 0, done.stderr
            made[key] = Built(folder / "program")
        return made[key]

    return make


@pytest.fixture(params=COMPILERS)
def compiler(request: pytest.FixtureRequest) -> str:
    """Both compilers, the newest release of each."""
    name: str = request.param
    if name == "g++":
        assert shutil.which("g++"), "g++ is missing"
    return name
