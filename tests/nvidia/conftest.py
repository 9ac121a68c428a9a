"""CUDA toolkits in the layout that clang expects, assembled from the header packages of PyPI."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from hipport.builds.nvidia.headers import by_hand, write_headers
from hipport.support import include_dir
from tests.llvm_releases import NEWER

PACKAGES = Path(sysconfig.get_path("purelib")) / "nvidia"
CRT = PACKAGES / "cu13/include/crt"
"""The headers behind the headers; the packages of CUDA 11 have them together with 20 MB of tools."""

# clang includes them for releases that had them.
_UNUSED = ("curand_mtgp32_kernel.h", "texture_fetch_functions.h")


@dataclass(frozen=True)
class Toolkit:
    """A CUDA release: its folder, and the release passed to clang, for clang 19 at most 12.5."""

    release: tuple[int, int]
    include: Path
    folder: Path
    known_as: str
    arch: str


Compile = Callable[..., str]
"""Compiles sources for host and device, and gives what the compiler said."""


def _lacking(what: str) -> None:
    if os.environ.get("CI"):
        pytest.fail(f"{what} is missing")
    pytest.skip(f"{what} is missing")


def _put_together(folder: Path, include: Path) -> Path:
    """Create a folder with the parts that clang looks for, as links to installed files."""
    if not include.is_dir() or not CRT.is_dir():
        _lacking(f"the package with {include.relative_to(PACKAGES)}")
    for part in ("bin", "nvvm/libdevice", "include"):
        (folder / part).mkdir(parents=True)
    parts = {path.name: path for place in (include / "cccl", include) for path in place.glob("*")}
    for name, path in {**parts, "crt": CRT}.items():
        (folder / "include" / name).symlink_to(path)
    for name in _UNUSED:
        if name not in parts:
            (folder / "include" / name).touch()
    return folder


@pytest.fixture(scope="session", params=["11.8", "13.0"])
def toolkit(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Toolkit:
    """Each CUDA release whose headers are installed."""
    old = request.param == "11.8"
    include = PACKAGES / ("cuda_runtime/include" if old else "cu13/include")
    folder = _put_together(tmp_path_factory.mktemp("toolkit"), include)
    release = (11, 8) if old else (13, 0)
    return Toolkit(release, include, folder, "11.8" if old else "12.5", "sm_80")


@pytest.fixture(scope="session")
def names(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The headers generated from the tables."""
    folder = tmp_path_factory.mktemp("names")
    write_headers(folder)
    return folder


@pytest.fixture(scope="session")
def compiled(toolkit: Toolkit, names: Path) -> Compile:
    """A function that checks CUDA code with clang, which reports errors and, without `-S`, generates no code."""
    clang = next(filter(None, map(shutil.which, (f"clang++-{NEWER}", "clang++"))), None)
    if clang is None:
        _lacking(f"clang++-{NEWER}")

    def run(source: Path, *options: str) -> str:
        command = [str(clang), "-x", "cuda", f"--cuda-path={toolkit.folder}", "-nocudalib"]
        command += [f"--cuda-gpu-arch={toolkit.arch}", "-std=c++17", "-Wno-unknown-cuda-version"]
        command += ["-Xclang", f"-target-sdk-version={toolkit.known_as}", "-Wno-ignored-attributes"]
        command += [word for folder in (by_hand(), names, include_dir()) for word in ("-isystem", str(folder))]
        kind = () if "-S" in options else ("-fsyntax-only",)
        done = subprocess.run([*command, *kind, *options, str(source)], capture_output=True, text=True)
        return "" if done.returncode == 0 else done.stderr

    return run
