"""Tiles with and without parents, passed to functions whose template arguments are deduced from them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.translate.dialect.comparing import Case, refused

pytestmark = pytest.mark.toolchain

SIZE = "template <unsigned N"
FORMS = {
    "value": f"{SIZE}> __device__ int f(cg::thread_block_tile<N> t, int v) {{ return t.shfl(v, 0); }}",
    "reference": f"{SIZE}> __device__ int f(const cg::thread_block_tile<N>& t, int v) {{ return v + t.size(); }}",
    "pointer": f"{SIZE}> __device__ int* g(cg::thread_block_tile<N> t, int* v) {{ return v; }}\n"
    f"{SIZE}> __device__ int f(cg::thread_block_tile<N> t, int v) {{ return *g(t, &v); }}",
    "declared": f"{SIZE}> __device__ int f(cg::thread_block_tile<N> t, int v);\n"
    f"{SIZE}> __device__ int f(cg::thread_block_tile<N> t, int v) {{ return v; }}",
    "pack": f"{SIZE}, typename... T> __device__ int f(cg::thread_block_tile<N> t, T... v) {{ return sizeof...(v); }}",
    "member": f"struct S {{ {SIZE}> __device__ static int f(cg::thread_block_tile<N> t, int v) {{ return v; }} }};\n"
    f"{SIZE}> __device__ int f(cg::thread_block_tile<N> t, int v) {{ return S::f(t, v); }}",
    "default": f"{SIZE} = 8> __device__ int f(cg::thread_block_tile<N> t, int v = 2) {{ return v; }}",
    "fixed": "template <typename T> __device__ int f(T t, int v) { return v; }\n"
    "__device__ int f(cg::thread_block_tile<16> t, int v) { return v; }\n"
    "template <int N> __device__ int f(cg::thread_block_tile<N> t, int v) { return v; }",
}
KERNEL = """
__global__ void k(int* p) {
  auto b = cg::this_thread_block();
  auto t = cg::tiled_partition<16>(b);
  cg::thread_block_tile<8> u = cg::tiled_partition<8>(b);
  *p = f(t, 1) + f<16>(t, 2) + f(u, 3) + f(cg::tiled_partition<4>(b), 4);
}
"""


@pytest.mark.parametrize("side", ["device", "host", "cpu"])
def test_tiles_are_deduced_with_their_parents(side: str, tmp_path: Path) -> None:
    head = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
    assert not refused(tmp_path, [Case(name, head + form + KERNEL, "") for name, form in FORMS.items()], side)
