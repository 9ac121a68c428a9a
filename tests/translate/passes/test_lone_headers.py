"""Each of CUDA's headers, and so its translation, is enough for what follows in a source for host compilers."""

from __future__ import annotations

import subprocess

import pytest

from hipport.mappings.loader import Tables
from hipport.support import include_dir
from hipport.translate.context import Context
from hipport.translate.convert import convert_source
from hipport.translate.inclusion import RUNTIME

WITH_RUNTIME = (
    *("cuda_bf16.h", "cuda_fp16.h", "cuda_fp8.h", "cuda_gl_interop.h", "cuda_runtime.h", "cuda_runtime_api.h"),
    *("mma.h", "vector_functions.h", "vector_functions.hpp"),
)
"""Headers with which CUDA 13 has `cudaFree` in a source that includes nothing else."""
OTHERS = (
    *("builtin_types.h", "channel_descriptor.h", "cuda_profiler_api.h", "cuda_surface_types.h", "cuda_texture_types.h"),
    *("cuComplex.h", "driver_functions.h", "driver_types.h", "library_types.h", "math_constants.h"),
    *("surface_types.h", "texture_types.h", "vector_types.h"),
)
USE = "cudaError_t status;\nint main() { return cudaFree(0); }\n"


def converted(tables: Tables, text: str, name: str = "a.cpp") -> str:
    return convert_source(text.encode(), name, Context(tables)).data.decode()


def compiled(text: str) -> str:
    command = ["g++", "-x", "c++", "-std=c++17", "-D__HIP_PLATFORM_AMD__", f"-I{include_dir()}", "-fsyntax-only", "-w"]
    return subprocess.run([*command, "-"], input=text, capture_output=True, text=True, check=False).stderr


@pytest.mark.toolchain
@pytest.mark.slow
@pytest.mark.parametrize("header", [*WITH_RUNTIME, *OTHERS])
def test_the_translation_is_enough_for_a_host_compiler(tables: Tables, header: str) -> None:
    use = USE if header in WITH_RUNTIME else "int main() { return 0; }\n"
    said = compiled(converted(tables, f"#include <{header}>\n{use}"))
    if "No such file" in said:
        pytest.skip("the installed ROCm lacks its counterpart")
    assert said == ""


@pytest.mark.parametrize("header", ["cuda_bf16.h", "cuda_fp16.h", "cuda_gl_interop.h", "mma.h", "vector_functions.h"])
def test_the_runtime_is_included_in_front(tables: Tables, header: str) -> None:
    made = converted(tables, f"#include <vector>\n#include <{header}>\n#include <cuda_runtime.h>\n")
    lines = made.splitlines()
    assert lines[:2] == ["#include <vector>", f"#include <{RUNTIME}>"] and made.count(RUNTIME) == 1


@pytest.mark.parametrize(
    "front", ["#include <cuda_runtime.h>\n", "#include <cuda_runtime_api.h>\n", "#include <cublas_v2.h>\n"]
)
def test_once(tables: Tables, front: str) -> None:
    """Not where a header in front brings it, nor in the sources that nvcc begins with it and that do not use it."""
    made = converted(tables, f"{front}#include <cuda_fp16.h>\n")
    assert [line for line in made.splitlines() if line.endswith(("runtime.h>", "fp16.h>"))][-1].endswith("fp16.h>")
    assert made.count(RUNTIME) == front.count("cuda_runtime.h")
    assert RUNTIME not in converted(tables, "#include <cuda_fp16.h>\n", "a.cu")


def test_in_each_branch(tables: Tables) -> None:
    made = converted(tables, "#ifdef USE_GL\n#include <cuda_gl_interop.h>\n#else\n#include <cuda_fp16.h>\n#endif\n")
    assert made.count(RUNTIME) == 2
    assert RUNTIME not in converted(tables, 'extern "C" {\n#include <vector_functions.h>\n}\n')
