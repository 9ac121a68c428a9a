"""Programs for AMD GPUs, built once, and the emulator that runs them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_build import built
from tests.fixtures import programs
from tests.shared import made_once

TARGETS = ("gfx90a", "gfx1030")
"""Wavefronts of 64 and of 32 that the oldest supported hipcc has device libraries for."""
PROGRAMS = ("cli_case", "launch_forms", "reduction", "warp_votes")


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder with the emulator in it."""

    def make(folder: Path) -> None:
        from hipport.emulate.library import library_folder
        from hipport.toolchain.places import Surroundings

        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("XDG_CACHE_HOME", str(folder))
            library_folder(Surroundings(), lambda text: None)

    return made_once(tmp_path_factory, "emulator", make)


@pytest.fixture(scope="session")
def executables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with PROGRAMS, each for all TARGETS."""

    def make(folder: Path) -> None:
        for program in programs.find():
            if program.name in PROGRAMS:
                sources = [str(program.folder / name) for name in program.sources]
                options = [option for name in program.include_dirs for option in ("-I", str(program.folder / name))]
                product = str(folder / program.name)
                built("--offload-arch", ",".join(TARGETS), "-o", product, *options, *sources, cwd=folder)

    return made_once(tmp_path_factory, "emulated-programs", make)


def emulated(*arguments: str, cwd: Path, cache: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `hipport run` with arguments."""
    variables = {**os.environ, "XDG_CACHE_HOME": str(cache), **environment}
    command = [sys.executable, "-m", "hipport", "run", *arguments]
    return subprocess.run(command, cwd=cwd, env=variables, capture_output=True, text=True, check=False, timeout=300)
