"""The functions of libdevice against Clang's declarations of them: the names, and the types, which C linkage fixes."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from hipport.mappings.loader import load
from hipport.support import include_dir
from tests.llvm_releases import NEWER, RELEASES

HEADER = include_dir() / "hipport" / "compat" / "libdevice.h"
DECLARED = re.compile(r"\b(__nv_\w+)\s*\(")
_SIMD = re.compile(r"__nv_v\w+")
"""Matches functions that libdevice had before CUDA 9."""
SOURCE = """#include <hip/hip_runtime.h>
#include <hipport/compat/libdevice.h>
#define CUDA_VERSION 13000
#define __DEVICE__ __device__
#include <__clang_cuda_libdevice_declares.h>
"""


def declarations() -> str:
    folder = f"lib/clang/{NEWER}/include/__clang_cuda_libdevice_declares.h"
    return (Path(f"/usr/lib/llvm-{NEWER}") / folder).read_text()


def supplied() -> set[str]:
    return {f"__nv_{name}" for name in re.findall(r"^HIPPORT_LIBDEVICE\([\w ]+, (\w+), ", HEADER.read_text(), re.M)}


@pytest.mark.toolchain
def test_every_function_is_supplied_or_reported() -> None:
    names = {name for name in DECLARED.findall(declarations()) if not _SIMD.fullmatch(name)}
    assert len(names) > 340
    assert names - supplied() == {"__nv_rcp64h"}
    entries = load(rocm="5.2").names
    assert entries["__nv_rcp64h"].hip is None
    assert {name for name in supplied() if entries[name].support != "hipport/compat/libdevice.h"} == set()


@pytest.mark.slow
@pytest.mark.toolchain
@pytest.mark.parametrize("release", RELEASES)
def test_types_are_those_that_clang_declares(release: int, tmp_path: Path) -> None:
    source = tmp_path / "libdevice.hip"
    source.write_text(SOURCE)
    command = [f"clang++-{release}", "-x", "hip", "--rocm-path=/usr", "--hip-version=5.2", "-nogpulib", "-std=c++17"]
    command += ["-D__HIP_PLATFORM_AMD__", "--offload-arch=gfx90a", "--offload-device-only", f"-I{include_dir()}", "-w"]
    done = subprocess.run([*command, "-fsyntax-only", source], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[:2000]
