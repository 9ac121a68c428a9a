"""CUDA's names in the operands of inline PTX become HIP's as they do elsewhere."""

from __future__ import annotations

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source

EXPRESSIONS = {
    "float": (
        *("cuCrealf(c)", "cuCimagf(make_cuComplex(x, 1))", "__shfl_sync(0xffffffff, x, 0)", "v[cudaSuccess]"),
        *("__shfl_xor_sync(0xffffffff, x, 1) + cuCrealf(c)", "curand_uniform(s)", "cub::ThreadLoad<cub::LOAD_CG>(v)"),
    ),
    "int": (
        "__ballot_sync(~0u, i)",
        "cudaSuccess",
        "int(cudaMemcpyHostToDevice)",
        "__any_sync(~0u, i == CUDA_ERROR_NOT_READY)",
    ),
}
HEAD = """#include <cuda.h>
#include <cuComplex.h>
#include <cub/cub.cuh>
#include <curand_kernel.h>
__device__ void f(float* p, float x, cuComplex c, float* v, int i, curandState* s) {
"""
FORMS = {
    "float": (
        'asm volatile("st.global.f32 [%0], %1;" :: "l"(p), "f"(E));',
        'asm("add.f32 %0, %1, %1;" : "=f"(x) : "f"(E));',
    ),
    "int": (
        'asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(E) : "memory");',
        'asm("{ .reg .u32 t; add.u32 t, %1, 1; mul.lo.u32 %0, t, %1; }" : "=r"(i) : "r"(E));',
    ),
}
CASES = [(form, each) for kind, forms in FORMS.items() for form in forms for each in EXPRESSIONS[kind]]


def translated(tables: Tables, body: str) -> str:
    conversion = convert_source((HEAD + body).encode(), "x.cu", Context(tables))
    return conversion.data.decode().partition("__device__ void f(")[2].partition("{\n")[2]


@pytest.mark.parametrize(("form", "expression"), CASES)
def test_operand(tables: Tables, form: str, expression: str) -> None:
    plain = translated(tables, f"  use({expression});\n}}\n").strip()
    wanted = plain.removeprefix("use(").partition(");\n")[0]
    body = translated(tables, f"  {form.replace('E', expression)}\n}}\n")
    assert wanted != expression and wanted in body
    assert "asm" not in body and expression not in body


@pytest.mark.parametrize("expression", EXPRESSIONS["float"])
def test_operand_in_a_macro(tables: Tables, expression: str) -> None:
    macro = f"#define STORE(p, x) {FORMS['float'][0].replace('E', expression)}\n"
    data = (HEAD + "  STORE(p, x);\n}\n").replace("__device__ void f", macro + "__device__ void f").encode()
    said = convert_source(data, "x.cu", Context(tables)).data.decode()
    line = next(line for line in said.splitlines() if line.startswith("#define STORE"))
    assert "asm" not in line and ("hip" in line or "__shfl" in line) and expression not in line


def test_own_names_in_operands_stay(tables: Tables) -> None:
    body = translated(tables, '  int cudaSuccess = 1;\n  asm("add.s32 %0, %1, 1;" : "=r"(i) : "r"(cudaSuccess));\n}\n')
    assert "uint32_t(cudaSuccess) + 1u;" in body
