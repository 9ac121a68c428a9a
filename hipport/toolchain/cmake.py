"""CMake's HIP language: the toolchain file it may need, the configure command, and a test that it can be enabled."""

from __future__ import annotations

import re
import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path

from hipport.support import cmake_dir
from hipport.toolchain.places import Surroundings
from hipport.toolchain.process import run

_PROJECT = "cmake_minimum_required(VERSION 3.21)\nproject(trial LANGUAGES CXX HIP)\nfind_package(hip REQUIRED)\n"
_OF_DISTRIBUTION = ("usr/lib/*-linux-gnu/cmake/hip-lang", "usr/lib64/cmake/hip-lang", "usr/lib/cmake/hip-lang")
_NO_TEST_OF_CXX = ("-D", "CMAKE_CXX_COMPILER_FORCED=ON")
"""Saves a compilation; the host compiler has a check of its own."""
_SECONDS = 120
_ERROR = re.compile(r"CMake Error.*?:\n(.*?)\n(?:Call Stack|\S|\Z)", re.DOTALL)
_COMPILER = re.compile(r"^.*\berror: .*$", re.MULTILINE)


def toolchain_file() -> Path:
    """Return hipport's toolchain file for HIP as distributions package it."""
    return cmake_dir() / "distribution.cmake"


def needs_toolchain_file(where: Surroundings) -> bool:
    """Return whether HIP's CMake files come from a distribution, where CMake's HIP language may not find them."""
    if where.environ.get("CMAKE_TOOLCHAIN_FILE") or where.environ.get("ROCM_PATH"):
        return False
    amd = any(any(where.root.glob(f"opt/{name}/lib/cmake/hip-lang")) for name in ("rocm", "rocm-*"))
    return not amd and any(any(where.root.glob(pattern)) for pattern in _OF_DISTRIBUTION)


def configure_command(source: str, where: Surroundings, architectures: Sequence[str] = ()) -> str:
    """Return the shell command that configures a HIP project here, for the given GPUs or the project's own default."""
    nvcc = any((Path(folder) / "nvcc").exists() for folder in where.environ.get("PATH", "").split(":") if folder)
    variable = ["HIP_PLATFORM=amd"] if nvcc and not where.environ.get("HIP_PLATFORM") else []
    options = [f"CMAKE_TOOLCHAIN_FILE={toolchain_file()}"] if needs_toolchain_file(where) else []
    options += [f"CMAKE_HIP_ARCHITECTURES={';'.join(architectures)}"] if architectures else []
    build = str(Path(source) / "build")
    words = ["cmake", "-S", source, "-B", build, *(word for option in options for word in ("-D", option))]
    return " ".join((*variable, shlex.join(words)))


def configure_problem(cmake: Path, where: Surroundings, architecture: str, toolchain: Path | None = None) -> str | None:
    """Configure a three-line project in a temporary folder; return why that fails, or None if it works."""
    with tempfile.TemporaryDirectory(prefix="hipport-") as folder:
        Path(folder, "CMakeLists.txt").write_text(_PROJECT)
        command: list[str | Path] = [cmake, "-S", folder, "-B", f"{folder}/build"]
        command += ["-D", f"CMAKE_HIP_ARCHITECTURES={architecture}", *_NO_TEST_OF_CXX]
        command += ["-D", f"CMAKE_TOOLCHAIN_FILE={toolchain}"] if toolchain else []
        done = run(command, _SECONDS, environ=where.environ)
    if done is None:
        return f"{cmake} did not finish in {_SECONDS} seconds"
    return None if done.status == 0 else _reason(done.stderr + done.stdout)


def _reason(said: str) -> str:
    """Return the compiler's first error, or else CMake's, in one line."""
    compiler = _COMPILER.search(said)
    own = _ERROR.search(said)
    text = compiler[0] if compiler else own[1] if own else said
    return " ".join(text.split())[:300]
