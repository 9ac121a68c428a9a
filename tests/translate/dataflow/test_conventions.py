"""Lane counts that functions assume, and the facts about them that files exchange."""

from __future__ import annotations

import pytest

from hipport.files.includes import told
from hipport.mappings.loader import Tables
from hipport.source import SourceFile
from hipport.translate.context import Context
from hipport.translate.convert import check_source, definitions
from hipport.translate.dataflow.called_names import called_names
from hipport.translate.dataflow.conventions import Conventions
from hipport.translate.dataflow.flow import Flow
from hipport.translate.dataflow.lanes import Warps
from hipport.translate.syntax.unit import parse

SUM_32 = "for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);"
SUM_WAVE = "for (int d = warpSize / 2; d; d /= 2) v += __shfl_down_sync(~0u, v, d);"
KERNEL = b"""#include "warp.cuh"
__global__ void k(int* v) { int s = sum(v[0]); if (threadIdx.x % warpSize == 0) v[threadIdx.x / warpSize] = s; }
"""


def facts(text: str) -> set[str]:
    return set(Conventions(Warps(Flow(parse(SourceFile.decode(text.encode(), "dir/warp.cuh"))))).facts())


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (f"__device__ int sum(int v) {{ {SUM_32} return v; }}", {"sum()=32:exchanges:sum:warp.cuh:1"}),
        ("\n__device__ int lane() { return threadIdx.x & 31; }", {"lane()=32:returns:lane:warp.cuh:2"}),
        ("__device__ int lane() { return threadIdx.x % warpSize; }", {"lane()=0:returns:lane:warp.cuh:1"}),
        ('__device__ int lane() { int l; asm("mov.u32 %0, %%laneid;" : "=r"(l)); return l; }', {"lane()=32"}),
        ("#define LANE() (threadIdx.x & 31)\n", {"LANE()=32:returns:LANE:warp.cuh:1"}),
        (f"struct Sum {{ __device__ int operator()(int v) {{ {SUM_32} return v; }} }};", {"Sum()=32:exchanges:Sum"}),
        ('#include "a.cuh"\n__device__ int twice(int v) { return 2 * sum(v); }', {"twice()>sum()"}),
        ("__device__ int column() { int c = threadIdx.x % 32; return 33 * c; }", set()),
        ("__device__ int quad(int v) { return v + __shfl_xor_sync(~0u, v, 1); }", set()),
        (f"__device__ int both(int v) {{ {SUM_32} {SUM_WAVE} return v; }}", set()),
        ("int host() { return 32; }", set()),
    ],
)
def test_what_a_file_tells_about_its_functions(text: str, wanted: set[str]) -> None:
    found = facts(text)
    assert len(found) == len(wanted) or any("exchanges" in each for each in found)
    assert all(any(each.startswith(start) for each in found) for start in wanted)


def test_a_file_asks_for_what_its_device_code_calls() -> None:
    names = set(called_names(parse(SourceFile.decode(KERNEL, "k.cu"))))
    assert {"sum()", "()=0"} <= names
    assert not set(called_names(parse(SourceFile.decode(b'#include "a.h"\nint main() { return f(); }', "m.cpp"))))


def test_callees_of_callees_are_told() -> None:
    defines = [{"twice()>sum()", "other()=32:exchanges:other:a.cuh:1"}, {"sum()=32:exchanges:sum:b.cuh:3"}]
    assert told(defines, {"twice()", "()=0"}) == {"twice()>sum()", "sum()=32:exchanges:sum:b.cuh:3"}


def test_files_that_agree_are_not_told() -> None:
    defines = [{"sum()=32:exchanges:sum:b.cuh:3", "cudaMine", "WARP=32"}]
    assert told(defines, {"sum()", "()=32", "cudaMine", "WARP"}) == {"cudaMine", "WARP=32"}


@pytest.mark.parametrize(("body", "codes"), [(SUM_32, ["HP230"]), (SUM_WAVE, [])])
def test_a_caller_disagrees_with_a_header(body: str, codes: list[str], tables: Tables) -> None:
    header = f"__device__ int sum(int v) {{ {body} return v; }}".encode()
    context = Context(tables)
    alone = check_source(KERNEL, "k.cu", context)
    assert not alone.diagnostics
    known = told([definitions(header, "warp.cuh", context).defines], alone.uses)
    found = check_source(KERNEL, "k.cu", Context(tables, foreign=known)).diagnostics
    assert [each.code for each in found] == codes
    assert all("'sum' (warp.cuh:1)" in each.message and "'k' (k.cu:2)" in each.message for each in found)


@pytest.mark.parametrize(
    ("callers", "translated"),
    [
        ("__global__ void w(int* v) { v[threadIdx.x / warpSize] = first(v[0]); }", "__shfl(v, 0);"),
        ("__global__ void n(int* v) { v[threadIdx.x & 31] = first(v[0]); }", "__shfl(v, 0, 32);"),
        ("__device__ int m(int v) { return first(v); }\n__global__ void w(int* v) { v[warpSize] = m(1); }", "(v, 0);"),
    ],
)
def test_a_function_follows_its_callers_in_a_mixed_file(callers: str, translated: str, tables: Tables) -> None:
    from hipport.translate.convert import convert_source

    others = f"__device__ int a(int v) {{ {SUM_32} return v; }}\n__device__ int b(int v) {{ {SUM_WAVE} return v; }}\n"
    text = f"{others}__device__ int first(int v) {{ return __shfl_sync(~0u, v, 0); }}\n{callers}\n"
    converted = convert_source(text.encode(), "k.cu", Context(tables))
    assert translated.encode() in converted.data
