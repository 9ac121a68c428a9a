"""Names of CUDA that macros paste around their parameters (HP112), and launches by macros in device code (HP103)."""

from __future__ import annotations

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source

CHANGED = ("__shfl_xor_sync", "__shfl_down_sync", "__ballot_sync", "__all_sync", "cudaStream_t", "cudaEvent_t")
KEPT = ("atomicAdd", "atomicCAS", "make_float4", "__syncthreads", "__popcll", "my_thing_t")
CUTS = ((2, -5), (4, -2), (7, -2), (5, -3))


def lines(source: str, code: str, tables: Tables) -> list[int]:
    found = convert_source(source.encode(), "a.cu", Context(tables)).diagnostics
    return [each.line for each in found if each.code == code]


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("name", [*CHANGED, *KEPT])
def test_names_around_a_parameter(name: str, cut: tuple[int, int], tables: Tables) -> None:
    first, part, last = name[: cut[0]], name[cut[0] : cut[1]], name[cut[1] :]
    if first.startswith("cu"):
        first, part = "", first + part  # names that begin so are translated by their beginning
    pasted = " ## ".join(each for each in (first, "part", last) if each)
    macro = f"#define NAME(part) {pasted}\n"
    direct = f"{macro}__device__ auto f() {{ return NAME({part}); }}\n"
    passed_on = f"{macro}#define CALL(part) NAME(part)\n__device__ auto f() {{ return CALL({part}); }}\n"
    assert bool(lines(passed_on, "HP112", tables)) is (name in CHANGED), passed_on
    if first or name in KEPT:
        assert bool(lines(direct, "HP112", tables)) is (name in CHANGED), direct
    else:
        made = convert_source(direct.encode(), "a.cu", Context(tables)).data.decode()
        assert f"NAME({part.replace('cuda', 'hip')})" in made


@pytest.mark.parametrize(
    ("macro", "found"),
    [
        ("#define SHUFFLE(kind) __shfl_##kind##_sync", True),
        ("#define VOTE(kind) __##kind##_sync", True),
        ("#define ATOMIC(op) atomic##op", False),
        ("#define OWN(op) own_##op##_sync", False),
        ("#define JOIN(a, b) a##b", False),
        ("#define TEXT(a) #a", False),
        ("#define TYPE_OF(name) sizeof(name##_type)", False),
    ],
)
def test_macros_that_other_files_use(macro: str, found: bool, tables: Tables) -> None:
    assert bool(lines(macro + "\n", "HP112", tables)) is found


_MACROS = "#define GO(kernel, ...) kernel<<<1, 32>>>(__VA_ARGS__)\n#define GO_CHILD(o) GO(child, o)\n"


@pytest.mark.parametrize(
    ("use", "found"),
    [
        ("__global__ void k(int* o) { GO(child, o); }", True),
        ("__device__ void f(int* o) { if (o) GO_CHILD(o); }", True),
        ("void f(int* o) { GO(child, o); GO_CHILD(o); }", False),
        ("template <class K> __host__ __device__ void f(K child, int* o) { GO(child, o); }", False),
        ("__global__ void k(int* o) { go(o); }", False),
    ],
)
def test_launches_by_macros(use: str, found: bool, tables: Tables) -> None:
    assert bool(lines(f"{_MACROS}{use}\n", "HP103", tables)) is found


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("<cuda_fp16.h>", "<hip/hip_fp16.h>"),
        ('"cuda_runtime.h"', '"hip/hip_runtime.h"'),
        ("<cub/cub.cuh>", "<hipcub/hipcub.hpp>"),
        ("<vector>", "<vector>"),
        ("<optix.h>", "<optix.h>"),
    ],
)
def test_headers_that_a_condition_asks_for(asked: str, expected: str, tables: Tables) -> None:
    source = f"#if defined(__has_include) && __has_include({asked})\n#define HAS 1\n#endif\ncudaStream_t s;\n"
    data = convert_source(source.encode(), "a.cu", Context(tables)).data.decode()
    assert f"__has_include({expected})" in data


_COMPILES = 'void f() {{ const char* s = {}; nvrtcCreateProgram(&p, s, "k.cu", 0, 0, 0); }}\n'


@pytest.mark.parametrize(
    ("literal", "found"),
    [
        ('"__device__ int f(int v) { return __shfl_xor_sync(0xffffffff, v, 1); }"', True),
        ('"v += __shfl_down_sync(~0u, v, d);"', True),
        ('"extern \\"C\\" __global__ void k(" ARGUMENTS ") { o[0] = __ballot_sync(~0u, 1); }"', True),
        ('R"(__global__ void k(cudaTextureObject_t t) {)"', True),
        ('"#include <cuda_fp16.h>\\n"', True),
        ('"__global__ void k(int* o) { o[threadIdx.x] = atomicAdd(o, 1); }"', False),
        ('"cudaMalloc failed"', False),
        ('"k<float>"', False),
    ],
)
def test_parts_of_kernels_in_strings(literal: str, found: bool, tables: Tables) -> None:
    assert bool(lines(_COMPILES.format(literal), "HP505", tables)) is found
    printed = f"void f() {{ std::string s = {literal}; puts(s.c_str()); }}\n"
    assert bool(lines(printed, "HP505", tables)) is (found and "texture" in literal.lower())
