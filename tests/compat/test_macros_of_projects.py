"""Macros by which projects replace HIP's functions do not reach into hipport's headers."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from hipport.support import include_dir

_HEADER = include_dir() / "hipport" / "compat" / "blas_half.h"
_DECLARED = re.compile(r"^inline hipblasStatus_t (hipblasHgemm\w*)\(", re.MULTILINE)
_REPLACED = sorted({name for name in _DECLARED.findall(_HEADER.read_text()) if not name.endswith("_64")})


def test_the_header_has_functions_of_hipblas() -> None:
    assert _REPLACED == ["hipblasHgemm", "hipblasHgemmBatched", "hipblasHgemmStridedBatched"]


@pytest.mark.parametrize("name", _REPLACED)
def test_a_macro_for_a_function_of_hipblas_is_kept_for_the_project(name: str, tmp_path: Path) -> None:
    source = tmp_path / "a.cpp"
    source.write_text(f"#define {name} of_the_project\n#include <hipport/compat/blas_half.h>\nint last = {name};\n")
    for header in ("hip/hip_runtime.h", "hip/hip_fp16.h", "hipblas/hipblas.h"):
        (tmp_path / header).parent.mkdir(exist_ok=True)
        (tmp_path / header).touch()
    macros = ["-D__HIP_PLATFORM_AMD__", "-DHIP_VERSION_MAJOR=6", "-DHIP_VERSION_MINOR=4"]
    command = ["g++", "-std=c++17", "-E", "-P", *macros, f"-I{include_dir()}", f"-I{tmp_path}", str(source)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert text.rstrip().endswith("int last = of_the_project;")
    assert text.count("of_the_project") == 1
