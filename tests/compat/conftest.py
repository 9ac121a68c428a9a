"""Compile the programs for tests of the compat headers, once per session."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from hipport.support import include_dir
from tests.llvm_releases import NEWER
from tests.shared import made_once

HERE = Path(__file__).parent


def tool(*names: str) -> str:
    """Return the first of these programs that is installed; if there is none, fail in CI and skip elsewhere."""
    for name in names:
        found = shutil.which(name)
        if found is not None:
            return found
    if os.environ.get("CI"):
        pytest.fail(f"none of {', '.join(names)} is there")
    pytest.skip(f"none of {', '.join(names)} is there")


@pytest.fixture(scope="session")
def shim(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The arithmetic of the headers, compiled as plain C++ for this machine."""
    command = [tool("g++", "clang++", f"clang++-{NEWER}"), "-std=c++14", "-Wall", "-Wextra", "-Werror", "-O1"]
    command += ["-shared", "-fPIC", "-I", str(include_dir()), str(HERE / "shim.cpp"), "-o"]

    def build(folder: Path) -> None:
        done = subprocess.run([*command, str(folder / "shim.so")], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    return ctypes.CDLL(str(made_once(tmp_path_factory, "compat", build) / "shim.so"))
