"""`saturate` beside functions of that name that projects have."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hipport.support import include_dir
from tests.compat.conftest import tool
from tests.compat.test_programs import NO_LIBRARIES
from tests.llvm_releases import NEWER

pytestmark = [pytest.mark.toolchain]

OTHER = {
    "none": "",
    "function": "__device__ float saturate(float x) { return x; }",
    "template": "template <typename T> __device__ T saturate(T x) { return x; }",
    "namespace": "namespace other { template <typename T> __device__ T saturate(T x) { return x; } }\n"
    "using namespace other;",
    "vectors": "__device__ float2 saturate(float2 x) { return x; }",
}
KERNEL = "__global__ void k(float* p) { p[0] = saturate(p[1]) + fdivide(p[0], 2.0f); }"


@pytest.mark.parametrize("other", OTHER)
def test_a_projects_own_function_is_the_better_match(other: str, tmp_path: Path) -> None:
    source = tmp_path / "a.hip"
    source.write_text(f"#include <hipport/compat/math_helpers.h>\n{OTHER[other]}\n{KERNEL}\n")
    command = [tool(f"clang++-{NEWER}"), "-x", "hip", "--offload-arch=gfx90a", "--offload-device-only", "-fsyntax-only"]
    done = subprocess.run(
        [*command, "-I", str(include_dir()), *NO_LIBRARIES, str(source)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
