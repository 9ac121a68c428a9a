"""The pass knows each atomic function that HIP's header has beyond CUDA's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hipport.mappings.tables import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source
from hipport.translate.passes import own_atomics

HEADER = Path("/usr/include/hip/amd_detail/amd_hip_atomic.h")
DEFINED = re.compile(
    r"(atomic(?:CAS|Add|Sub|Exch|Min|Max|And|Or|Xor)(?:_system)?)\s*\(\s*([\w ]+?)\s*\*\s*\w+,[^)]*\)\s*\{"
)
WORDS = {"int", "unsigned int"}
CUDA = {
    "atomicAdd": {*WORDS, "unsigned long long", "float", "double"},
    "atomicAnd": {*WORDS, "unsigned long long"},
    "atomicCAS": {*WORDS, "unsigned long long", "unsigned short"},
    "atomicExch": {*WORDS, "unsigned long long", "float"},
    "atomicMax": {*WORDS, "unsigned long long", "long long"},
    "atomicMin": {*WORDS, "unsigned long long", "long long"},
    "atomicOr": {*WORDS, "unsigned long long"},
    "atomicSub": WORDS,
    "atomicXor": {*WORDS, "unsigned long long"},
}
"""The overloads of the CUDA programming guide."""


@pytest.mark.skipif(not HEADER.exists(), reason="HIP is not installed")
def test_hip_has_exactly_these_beside_cudas() -> None:
    found = {(name, kind) for name, kind in DEFINED.findall(HEADER.read_text())}
    added = {(name, kind) for name, kind in found if kind not in CUDA[name.removesuffix("_system")]}
    known = {
        (name + end, kind) for name, kinds in own_atomics._ADDED.items() for kind in kinds for end in ("", "_system")
    }
    assert known == added and len(added) > 30


@pytest.mark.parametrize(
    ("name", "parameters", "expected"),
    [
        ("atomicSub", "float* a, float v", "float"),
        ("atomicSub", "unsigned long long int *a, const unsigned long long int v", "unsigned long long"),
        ("atomicCAS", "std::uint64_t* a, std::uint64_t b, std::uint64_t c", "unsigned long"),
        ("atomicCAS", "size_t*, size_t, size_t", "unsigned long"),
        ("atomicMax_system", "volatile double* __restrict__ a, double v", "double"),
        ("atomicCAS", "uint64_t* a, uint64_t v", ""),
        ("atomicAdd", "float* a, float v", ""),
        ("atomicSub", "int* a, int v", ""),
        ("atomicSub", "unsigned* a, unsigned v", ""),
        ("atomicMin", "float2* a, float2 v", ""),
        ("atomicMin", "float** a, float* v", ""),
        ("atomicMin", "float* a, double v", ""),
        ("atomicSub", "long long* a, long long v", ""),
        ("atomicSub", "", ""),
    ],
)
def test_type(name: str, parameters: str, expected: str) -> None:
    assert own_atomics._type(name, parameters) == expected


@pytest.mark.parametrize(
    ("before", "after", "guarded"),
    [
        ("namespace {", "}", True),
        ("inline namespace {", "}", True),
        ("namespace app {", "}", False),
        ("namespace app { namespace {", "} }", False),
    ],
)
def test_an_anonymous_namespace_hides_nothing(tables: Tables, before: str, after: str, guarded: bool) -> None:
    own = "__device__ double atomicMin(double* a, double v) { return v; }"
    source = f"{before}\n{own}\n{after}\n__global__ void k(double* p) {{ atomicMin(p, 1.0); }}\n"
    out = convert_source(source.encode(), "a.cu", Context(tables)).data.decode()
    assert (f"// HIP has this\n{own}" in out) is guarded


@pytest.mark.parametrize(
    ("condition", "guarded"),
    [
        ("#ifdef NEED_ATOMIC_ADD", True),
        ("#ifndef HAVE_ATOMIC_ADD", True),
        ("#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600", False),
        ("#if __CUDACC_VER_MAJOR__ >= 8\n#else", False),
        ("#ifdef _WIN32", False),
    ],
)
def test_the_sum_of_doubles_that_newer_gpus_have(condition: str, guarded: bool, tables: Tables) -> None:
    source = f"{condition}\n__device__ static double atomicAdd(double* a, double v) {{ return *a; }}\n#endif\n"
    told = convert_source(source.encode(), "a.cu", Context(tables))
    assert (b"#ifndef __HIP_PLATFORM_AMD__  // HIP has this" in told.data) is guarded
    assert ("HP111" in {found.code for found in told.diagnostics}) is guarded


def test_the_sum_of_doubles_in_a_branch_for_older_releases_that_is_taken(tables: Tables) -> None:
    source = "#if __CUDACC_VER_MAJOR__ < 8\n__device__ double atomicAdd(double* a, double v) { return *a; }\n#endif\n"
    context = Context(tables, foreign=frozenset({"__CUDACC_VER_MAJOR__#8=0"}))
    assert b"// HIP has this" in convert_source(source.encode(), "a.cu", context).data
