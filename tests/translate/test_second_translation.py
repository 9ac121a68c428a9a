"""A second translation leaves the result of the first alone, and the first is right."""

from __future__ import annotations

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context, Options
from hipport.translate.convert import convert_source

RUNTIME = "#include <hip/hip_runtime.h>"


def converted(tables: Tables, text: str, launch: str = "ggl") -> str:
    """Translate twice; fail if the second translation changes anything."""
    context = Context(tables, Options(launch))  # type: ignore[arg-type]
    once = convert_source(text.encode(), "x.cu", context).data
    assert convert_source(once, "x.cu", context).data == once
    return once.decode()


@pytest.mark.parametrize("first", ["", "\n", "#pragma once\n"])
def test_the_runtime_comes_before_headers_of_thrust(tables: Tables, first: str) -> None:
    said = converted(tables, f"{first}__global__ void k() {{}}\nthrust::host_vector<int> copy;\n")
    assert said.count(RUNTIME) == 1
    assert said.index(RUNTIME) < said.index("#include <thrust/host_vector.h>")


def test_translations_of_inline_ptx_have_the_runtime(tables: Tables) -> None:
    macro = '#define RED(p, x) asm volatile("red.global.add.u32 [%0], %1;" :: "l"(p), "r"(x))\n'
    said = converted(tables, macro)
    assert "atomicAdd(" in said and RUNTIME in said


def test_assembly_of_hosts_needs_no_runtime(tables: Tables) -> None:
    macro = '#define PAUSE() asm volatile("pause" ::: "memory")\n'
    text = macro + 'unsigned h(unsigned x) { asm("bswap %0" : "+r"(x)); return x; }\n'
    assert converted(tables, text) == text


@pytest.mark.parametrize("launch", ["ggl", "chevron"])
def test_coordinates_of_a_launch_are_converted_once(tables: Tables, launch: str) -> None:
    text = """#include <cuda_runtime.h>
dim3 blocks_of(uint3 size);
__global__ void kernel(unsigned* out);
void start(unsigned* out, uint3 grid) {
  kernel<<<grid, 32>>>(out);
  kernel<<<blocks_of(grid), 32>>>(out);
}
"""
    said = converted(tables, text, launch)
    assert said.count("hipport::coordinates(grid)") == 1
    assert "blocks_of(grid)" in said


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_guards_are_written_once_in_conditions_without_an_end(tables: Tables, newline: str) -> None:
    text = """#include <cuda_runtime.h>
#if defined(__HIP_PLATFORM_AMD__) && SOME < 12000
__device__ inline void operator/=(float3& a, const float3& s) { a.x /= s.x; a.y /= s.y; a.z /= s.z; }
"""
    said = converted(tables, text.replace("\n", newline))
    assert said.count("#ifndef __HIP_PLATFORM_AMD__") == said.count("#endif") == 1


def test_launches_in_kernels_stay_behind_guarded_operators(tables: Tables) -> None:
    text = """#include <cuda_runtime.h>
__global__ void child(int* counts);
__device__ inline void operator/=(uchar4& a, const float s) { a.x /= s; a.y /= s; a.z /= s; a.w /= s; }
__global__ void parent(int* counts) {
  child<<<1, 32>>>(counts);
}
"""
    said = converted(tables, text)
    assert "HIPPORT_VECTOR_" in said and "child<<<1, 32>>>(counts);" in said
