"""cuBLAS's types on hipBLAS before ROCm 6, represented by a header in the test."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from hipport.support import include_dir
from tests.compat.conftest import tool

pytestmark = pytest.mark.toolchain

HIP = Path("/usr/include/hip")

HIPBLAS = """
#pragma once
#include <hip/hip_complex.h>
#include <hip/hip_runtime_api.h>
#include <stdint.h>
#include <stdio.h>
typedef enum {
  HIPBLAS_STATUS_SUCCESS, HIPBLAS_STATUS_NOT_INITIALIZED, HIPBLAS_STATUS_EXECUTION_FAILED, HIPBLAS_STATUS_NOT_SUPPORTED
} hipblasStatus_t;
typedef enum {
  HIPBLAS_R_16F = 150, HIPBLAS_R_32F, HIPBLAS_R_64F, HIPBLAS_C_16F, HIPBLAS_C_32F, HIPBLAS_C_64F,
  HIPBLAS_R_8I = 160, HIPBLAS_R_8U, HIPBLAS_R_32I, HIPBLAS_R_16B = 168, HIPBLAS_C_16B
} hipblasDatatype_t;
typedef enum { HIPBLAS_OP_N } hipblasOperation_t;
typedef enum { HIPBLAS_SIDE_LEFT } hipblasSideMode_t;
typedef enum { HIPBLAS_FILL_MODE_UPPER } hipblasFillMode_t;
typedef enum { HIPBLAS_DIAG_UNIT } hipblasDiagType_t;
typedef enum { HIPBLAS_GEMM_DEFAULT } hipblasGemmAlgo_t;
typedef int64_t hipblasStride;
typedef void* hipblasHandle_t;
#ifdef __cplusplus
typedef hipblasDatatype_t T;
typedef hipblasHandle_t H;
typedef hipblasOperation_t O;
typedef const void* V;
typedef hipblasStatus_t S;
inline S said(const char* name, T a, T b, T c, T d) {
  printf("%s %d %d %d %d\\n", name, a, b, c, d);
  return HIPBLAS_STATUS_SUCCESS;
}
extern "C" inline S hipblasGemmEx(H, O, O, int, int, int, V, V, T a, int, V, T b, int, V, void*, T c, int, T d,
                                  hipblasGemmAlgo_t) { return said("gemm", a, b, c, d); }
extern "C" inline S hipblasGemmBatchedEx(H, O, O, int, int, int, V, V[], T a, int, V[], T b, int, V, void*[], T c, int,
                                         int, T d, hipblasGemmAlgo_t) { return said("batched", a, b, c, d); }
S hipblasSgemmBatched(H, O, O, int, int, int, const float*, const float* const*, int, const float* const*, int,
                      const float*, float* const*, int, int);
S hipblasDgemmBatched(H, O, O, int, int, int, const double*, const double* const*, int, const double* const*, int,
                      const double*, double* const*, int, int);
extern "C" inline S hipblasGemmStridedBatchedEx(H, O, O, int, int, int, V, V, T a, int, hipblasStride, V, T b, int,
                                                hipblasStride, V, void*, T c, int, hipblasStride, int, T d,
                                                hipblasGemmAlgo_t) {
  return said("strided", a, b, c, d);
}
extern "C" inline S hipblasAxpyEx(H, int, V, T a, V, T b, int, void*, T c, int, T d) {
  return said("axpy", a, b, c, d);
}
extern "C" inline S hipblasDotEx(H, int, V, T a, int, V, T b, int, void*, T c, T d) { return said("dot", a, b, c, d); }
extern "C" inline S hipblasDotcEx(H, int, V, T a, int, V, T b, int, void*, T c, T d) {
  return said("dotc", a, b, c, d);
}
extern "C" inline S hipblasRotEx(H, int, void*, T a, int, void*, T b, int, V, V, T c, T d) {
  return said("rot", a, b, c, d);
}
extern "C" inline S hipblasNrm2Ex(H, int, V, T a, int, void*, T b, T c) { return said("nrm2", a, b, c, c); }
S hipblasGetStream(H, hipStream_t*);
#define hipblasRankK(name, M, N) \\
  S name(H, hipblasFillMode_t, O, int, int, const M*, const N*, int, const M*, N*, int);
hipblasRankK(hipblasCherk, float, hipComplex)
hipblasRankK(hipblasCsyrk, hipComplex, hipComplex)
#define hipblasTrmm(name, N) \\
  S name(H, hipblasSideMode_t, hipblasFillMode_t, O, hipblasDiagType_t, int, int, const N*, N*, int, N*, int);
hipblasTrmm(hipblasStrmm, float)
hipblasTrmm(hipblasDtrmm, double)
hipblasTrmm(hipblasCtrmm, hipComplex)
hipblasTrmm(hipblasZtrmm, hipDoubleComplex)
typedef uint16_t hipblasHalf;
typedef const hipblasHalf* X;
S hipblasHgemm(H, O, O, int, int, int, X, X, int, X, int, X, hipblasHalf*, int);
S hipblasHgemmBatched(H, O, O, int, int, int, X, const X*, int, const X*, int, X, hipblasHalf* const*, int, int);
S hipblasHgemmStridedBatched(H, O, O, int, int, int, X, X, int, long long, X, int, long long, X, hipblasHalf*, int,
                             long long, int);
extern "C" inline S hipblasScalEx(H, int, V, T a, void*, T b, int, T c) { return said("scal", a, b, c, c); }
#endif
"""

PROGRAM = """
#include <hipport/compat/blas_ex.h>
int main() {
  void* p = nullptr;
  void* const many[1] = {p};
  hipblasHandle_t h = &p;
  const hipblasOperation_t n = HIPBLAS_OP_N;
  const hipblasGemmAlgo_t any = HIPBLAS_GEMM_DEFAULT;
  hipblasGemmEx(h, n, n, 1, 1, 1, p, p, HIP_R_16F, 1, p, HIP_R_64F, 1, p, p, HIP_R_32F, 1, HIPBLAS_COMPUTE_32F, any);
  hipblasGemmEx(h, n, n, 1, 1, 1, p, p, HIP_C_32F, 1, p, HIP_C_32F, 1, p, p, HIP_C_32F, 1, HIPBLAS_COMPUTE_32F, any);
  hipblasGemmEx(h, n, n, 1, 1, 1, p, p, HIP_R_16F, 1, p, HIP_R_16F, 1, p, p, HIP_R_16F, 1, HIP_R_32F, any);
  hipblasGemmBatchedEx(h, n, n, 1, 1, 1, p, many, HIP_R_32F, 1, many, HIP_R_32F, 1, p, many, HIP_R_32F, 1, 1,
                       HIPBLAS_COMPUTE_64F, any);
  hipblasGemmStridedBatchedEx(h, n, n, 1, 1, 1, p, p, HIP_R_16F, 1, 1, p, HIP_R_16F, 1, 1, p, p,
                              HIP_R_32F, 1, 1, 1, HIPBLAS_COMPUTE_32I, any);
  const float real = 1;
  const hipFloatComplex complex = {1, 0};
  const int sizes[] = {1, 1};
  const hipblasOperation_t plain[] = {n, n};
  void* const two[] = {p, p};
  cublasSgemmEx(h, n, n, 1, 1, 1, &real, p, HIP_R_16F, 1, p, HIP_R_16F, 1, &real, p, HIP_R_32F, 1);
  cublasCgemm3mEx(h, n, n, 1, 1, 1, &complex, p, HIP_C_32F, 1, p, HIP_C_32F, 1, &complex, p, HIP_C_32F, 1);
  cublasGemmGroupedBatchedEx(h, plain, plain, sizes, sizes, sizes, p, two, HIP_R_64F, sizes, two, HIP_R_64F, sizes, p,
                             two, HIP_R_64F, sizes, 2, sizes, HIPBLAS_COMPUTE_64F);
  hipblasAxpyEx(h, 1, p, HIP_R_32F, p, HIP_R_16F, 1, p, HIP_R_16F, 1, HIP_R_32F);
  hipblasDotEx(h, 1, p, HIP_R_16F, 1, p, HIP_R_16F, 1, p, HIP_R_32F, HIP_R_32F);
  hipblasDotcEx(h, 1, p, HIP_R_16F, 1, p, HIP_R_16F, 1, p, HIP_R_32F, HIP_R_32F);
  hipblasRotEx(h, 1, p, HIP_R_16F, 1, p, HIP_R_16F, 1, p, p, HIP_R_32F, HIP_R_32F);
  hipblasNrm2Ex(h, 1, p, HIP_R_64F, 1, p, HIP_R_32F, HIP_R_16F);
  hipblasScalEx(h, 1, p, HIP_C_16F, p, HIP_C_64F, 1, HIP_R_32F);
  return hipblasSetMathMode(h, HIPBLAS_TENSOR_OP_MATH);
}
"""

SAID = """\
gemm 150 152 151 151
gemm 154 154 154 154
gemm 150 150 150 151
batched 151 151 151 152
strided 150 150 151 162
gemm 150 150 151 151
gemm 154 154 154 154
batched 152 152 152 152
batched 152 152 152 152
axpy 151 150 150 151
dot 150 150 151 151
dotc 150 150 151 151
rot 150 150 151 151
nrm2 152 151 150 150
scal 153 155 151 151
"""


def build(folder: Path, name: str, text: str, *options: str) -> subprocess.CompletedProcess[str]:
    version = HIP / "hip_version.h"
    if not version.exists() or not re.search(r"HIP_VERSION_MAJOR 5\b", version.read_text()):
        pytest.skip("the headers of HIP 5 are not there")
    (folder / "hipblas").mkdir()
    (folder / "hipblas" / "hipblas.h").write_text(HIPBLAS)
    (folder / name).write_text(text)
    command = [
        *options,
        "-D__HIP_PLATFORM_AMD__",
        "-isystem",
        str(folder),
        "-I",
        str(include_dir()),
        str(folder / name),
    ]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_types_arrive_as_those_of_hipblas(tmp_path: Path) -> None:
    options = (
        tool("g++", "clang++"),
        "-std=c++14",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-Wno-array-bounds",
        "-o",
        "program",
    )
    done = build(tmp_path, "a.cpp", PROGRAM, *options)
    assert done.returncode == 0, done.stderr
    ran = subprocess.run([tmp_path / "program"], capture_output=True, text=True, timeout=30, check=False)
    assert (ran.returncode, ran.stdout) == (0, SAID)


@pytest.mark.parametrize(("call", "compiles"), [("HIPBLAS_R_32F", True), ("hipblasGemmEx()", False)])
def test_c_has_no_functions_that_take_types(call: str, compiles: bool, tmp_path: Path) -> None:
    text = f"#include <hipport/compat/blas.h>\nint main(void) {{ return (int){call}; }}\n"
    done = build(tmp_path, "a.c", text, tool("gcc", "clang"), "-std=c11", "-fsyntax-only")
    assert (done.returncode == 0) == compiles, done.stderr
    assert compiles or "poisoned" in done.stderr
