"""LLVM's tools, with which hipport's readers are compared."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).with_name("kernels.hip")


def tool(version: int, name: str) -> str:
    """Return the path of a tool; if it is missing, skip the test, or fail in CI."""
    found = shutil.which(name, path=f"/usr/lib/llvm-{version}/bin") or shutil.which(f"{name}-{version}")
    if found is None:
        message = f"{name} of LLVM {version} is not installed"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    return found


def run(*arguments: str | Path) -> str:
    done = subprocess.run(list(map(str, arguments)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def clang(version: int, output: Path, targets: list[str], *options: str, source: Path = SOURCE) -> Path:
    """Compile HIP without HIP's headers and device libraries, which these kernels do not need."""
    archs = (f"--offload-arch={target}" for target in targets)
    hip = ("-x", "hip", "-nogpuinc", "-nogpulib", "-O2", "-w")
    run(tool(version, "clang++"), *hip, *archs, *options, source, "-o", output)
    return output


def code_object(version: int, folder: Path, target: str) -> Path:
    """Compile the kernels to a bare code object."""
    name = folder / f"{version}-{target.replace(':', '_')}.co"
    return clang(version, name, [target], "--offload-device-only", "--no-gpu-bundle-output")


def assembly(version: int, folder: Path, target: str) -> str:
    """Compile the kernels to assembly, whose comments contain the compiler's statistics."""
    output = folder / f"{version}-{target.replace(':', '_')}.s"
    return clang(version, output, [target], "--offload-device-only", "-S").read_text()
