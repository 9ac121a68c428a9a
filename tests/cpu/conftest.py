"""Build programs for the CPU target with the installed command."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.shared import made_once

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
    """A function that builds each combination of sources and options once for all workers."""

    def make(sources: list[Path], *options: str) -> Built:
        def fill(folder: Path) -> None:
            done = build(folder, sources, *options)
            assert done.returncode == 0, done.stderr

        key = hashlib.sha256(repr((sources, options)).encode()).hexdigest()[:16]
        return Built(made_once(tmp_path_factory, f"cpu-{key}", fill) / "program")

    return make


@pytest.fixture(params=COMPILERS)
def compiler(request: pytest.FixtureRequest) -> str:
    """The newest g++ and the newest clang++."""
    name: str = request.param
    if name == "g++":
        assert shutil.which("g++"), "g++ is missing"
    return name
