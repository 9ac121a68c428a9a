"""HP113: every function of CUDA's device runtime, in device code, in host code and in code for both."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import check_source
from hipport.translate.hazards.device_runtime import WORDS

HEADER = Path("/usr/local/cuda-13.0/include/cuda_device_runtime_api.h")
NOT_CALLED = {"cudaGridDependencySynchronize", "cudaTriggerProgrammaticLaunchCompletion"}
"""Functions that hipport drops or replaces in device code."""
_DECLARED = re.compile(r"__cudart_builtin__[^(\n]*?(?:_CDPRT_DEPRECATED\(\w+\)[^(\n]*)?\b(cuda[A-Z]\w+)\(")


def found(tables: Tables, text: str) -> list[int]:
    made = check_source(text.encode(), "a.cu", Context(tables))
    return [each.line for each in made.diagnostics if each.code == "HP113"]


@pytest.mark.parametrize(
    ("form", "lines"),
    [
        ("__global__ void k(X *x) {{ {}(x); }}", 1),
        ("template <class T> __device__ inline T f(T x) {{ return {}(x) ? x : 0; }}", 1),
        ("struct S {{ __device__ void m() {{ CHECK({}(this)); }} }};", 1),
        ("void h(X *x) {{ {}(x); k<<<1, 1>>>(x); }} __global__ void k(X *x) {{}}", 0),
        ("__host__ __device__ void b(X *x) {{ {}(x); }}", 0),
        ("__global__ void k(X *x) {{ x->{}(x); }}", 0),
        ("__device__ int {0}(X *x) {{ return 0; }} __global__ void k(X *x) {{ {0}(x); }}", 0),
        ("__global__ void k(X *x) {{}} // {}(x)", 0),
    ],
)
def test_functions(tables: Tables, form: str, lines: int) -> None:
    text = "\n".join(form.format(name) for name in sorted(WORDS))
    assert len(found(tables, text)) == lines * len(WORDS)


@pytest.mark.skipif(not HEADER.is_file(), reason="needs CUDA's headers")
def test_all_functions_of_the_header_that_hip_has_on_the_host(tables: Tables) -> None:
    declared = {name for name in _DECLARED.findall(HEADER.read_text("utf-8", "replace")) if not name.endswith("_ptsz")}
    assert len(declared) > 20
    entries = {name: tables.names.get(name) for name in declared}
    assert {
        name for name, entry in entries.items() if entry is not None and entry.hip is not None
    } - NOT_CALLED <= WORDS
