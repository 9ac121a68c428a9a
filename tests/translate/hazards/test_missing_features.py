"""HP245: spellings of what Clang for AMD GPUs lacks, near misses, and the builtins against this machine's Clang."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from hipport.mappings.loader import load
from hipport.translate.context import Context, Options
from hipport.translate.convert import convert_source
from hipport.translate.hazards.missing_features import GNU

REPORTED = {
    "va_start": "__device__ int f(int n, ...) { va_list l; va_start(l, n); return 1; }",
    "both sides": "__host__ __device__ int f(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); return 1; }",
    "parameter": "__global__ void k(int n) { char* p = (char*)alloca(n); p[0] = 1; }",
    "local": "__device__ void f(int n) { int m = 2 * n; auto p = __builtin_alloca(sizeof(int) * m); }",
    "quotient": "__device__ int f(__int128 a, int b) { return (int)(a / b); }",
    "remainder": "__global__ void k(unsigned __int128 a, int* o) { *o = (int)(a % 7); }",
    "assigned": "__device__ void f(__uint128_t a) { a /= 3; }",
    "cast": "__device__ long f(long a, long b, long c) { return (long)((__int128)a * b % c); }",
    "builtin": "void f() { g(__builtin_shuffle(a, b)); }",
    "builtin in a macro": "#define SHUFFLE(a, b) __builtin_shuffle(a, b)\n",
}
SILENT = {
    "host": "int f(int n, ...) { va_list l; va_start(l, n); return *(int*)alloca(n); }",
    "constant": "__global__ void k() { const int n = 4; char* p = (char*)alloca(n * sizeof(float)); }",
    "parameter of a template": "template <int N> __global__ void k() { char* p = (char*)alloca(N); }",
    "product": "__device__ long f(__int128 a, long b) { return (long)((a * b) >> 64) / b; }",
    "host quotient": "long f(__int128 a, long b) { return (long)(a / b); }",
    "GCC only": "#ifndef __clang__\nvoid f() { g(__builtin_shuffle(a, b)); }\n#endif",
    "known builtin": "__device__ int f(int a) { return __builtin_popcount(a); }",
}


def reported(text: str, name: str = "a.cu", options: Options | None = None) -> int:
    context = Context(load(rocm="5.2"), options or Options())
    return sum(found.code == "HP245" for found in convert_source(text.encode(), name, context).diagnostics)


@pytest.mark.parametrize("case", REPORTED)
def test_reported_in_cuda_sources_for_amd_gpus(case: str) -> None:
    assert reported(REPORTED[case]) >= 1
    assert reported(REPORTED[case], options=Options(lane_masks=True)) == 0
    assert reported(REPORTED[case], "a.cpp") == 0


@pytest.mark.parametrize("case", SILENT)
def test_near_misses(case: str) -> None:
    assert reported(SILENT[case]) == 0


@pytest.mark.toolchain
@pytest.mark.parametrize("compiler", ["clang++-15", "clang++-19"])
def test_clang_lacks_each_builtin(compiler: str, tmp_path: Path) -> None:
    found = shutil.which(compiler)
    if found is None:
        pytest.skip(f"{compiler} is not installed")
    source = tmp_path / "a.cpp"
    source.write_text("".join(f'static_assert(!__has_builtin({name}), "{name}");\n' for name in sorted(GNU)))
    done = subprocess.run([found, "-std=c++17", "-fsyntax-only", str(source)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
