"""GLM chooses functions for devices by macros of nvcc, which the header sets while GLM asks."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hipport.support import include_dir

_GLM = """
#pragma once
#if defined(__CUDACC__) && defined(GLM_FORCE_CUDA) && CUDA_VERSION >= 7000
#define GLM_FUNC __device__ __host__
#else
#define GLM_FUNC
#endif
"""
_SOURCE = """
#define CUDA_VERSION 12345
#include <hipport/compat/glm.h>
#include <glm/detail/setup.hpp>
#ifdef __CUDACC__
#define LEFT yes
#else
#define LEFT no
#endif
int function = GLM_FUNC, version = CUDA_VERSION, left = LEFT;
"""


@pytest.mark.parametrize(("macros", "function"), [(["-D__HIP__"], "__device__ __host__"), ([], "")])
def test_glm_is_asked_once_as_by_nvcc(macros: list[str], function: str, tmp_path: Path) -> None:
    source = tmp_path / "a.cpp"
    source.write_text(_SOURCE)
    for header, text in {"hip/hip_runtime.h": "", "glm/detail/setup.hpp": _GLM}.items():
        (tmp_path / header).parent.mkdir(parents=True)
        (tmp_path / header).write_text(text)
    command = [
        "g++",
        "-std=c++17",
        "-E",
        "-P",
        "-D__HIP_PLATFORM_AMD__",
        *macros,
        f"-I{include_dir()}",
        f"-I{tmp_path}",
    ]
    done = subprocess.run([*command, str(source)], check=True, capture_output=True, text=True).stdout
    assert done.splitlines()[-1].split() == f"int function = {function}, version = 12345, left = no;".split()
