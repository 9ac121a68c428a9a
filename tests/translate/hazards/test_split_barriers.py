"""HP235: every function of a whole warp, in both arms of every kind of condition."""

from __future__ import annotations

import itertools

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import check_source

CALLS = (
    "__syncwarp()",
    "__syncwarp(0xffffffff)",
    "v = __shfl_sync(0xffffffffu, v, 0)",
    "v = __shfl_down_sync(FULL, v, 1)",
    "v = __any_sync(-1, v)",
    "v = __ballot_sync(~0u, v)",
    "v = __reduce_add_sync(0xffffffff, v)",
    "__syncthreads()",
    "v = __syncthreads_count(v > 0)",
)
DIVERGENT = (
    "lane < 16",
    "threadIdx.x & 1",
    "threadIdx.x % 2 == 0",
    "!(lane & 1)",
    "threadIdx.x < 48",
    "threadIdx.x < n && n > 3",
    "t == 0",
    "tile.thread_rank() == 0",
)
UNIFORM = (
    "threadIdx.x < 64",
    "threadIdx.x >= 32",
    "threadIdx.x / 32 == 0",
    "warp == 1",
    "n > 3",
    "blockIdx.x == 0",
    "threadIdx.y == 0",
    "v > 0",
    "out[lane] > 0",
)


def found(tables: Tables, body: str) -> bool:
    text = f"""#define FULL 0xffffffff
__global__ void k(int* out, int n) {{
  const int t = threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x >> 5;
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int v = out[t];
  {body}
  out[t] = v;
}}
"""
    return any(each.code == "HP235" for each in check_source(text.encode(), "a.cu", Context(tables)).diagnostics)


@pytest.mark.parametrize("condition", DIVERGENT)
def test_divergent_conditions(tables: Tables, condition: str) -> None:
    for call, form in itertools.product(CALLS, ("if (C) { A; } else { A; }", "if (C) A; else A;")):
        assert found(tables, form.replace("A", call).replace("C", condition)), call


@pytest.mark.parametrize("condition", UNIFORM)
def test_other_conditions(tables: Tables, condition: str) -> None:
    for call in CALLS:
        assert not found(tables, f"if ({condition}) {{ {call}; }} else {{ {call}; }}"), call


@pytest.mark.parametrize(
    "body",
    [
        "if (lane < 16) __syncwarp(); else v = 1;",
        "if (lane < 16) __syncwarp(0xffff); else __syncwarp(0xffff0000);",
        "if (lane < 16) v = __shfl_sync(~0u, v, 0); else v = __any_sync(~0u, v);",
        "if (lane < 16) v = __shfl_sync(n, v, 0); else v = __shfl_sync(n, v, 1);",
        "if (lane < 16) v = 1; else v = 2; __syncwarp();",
        "if (lane < 16) v = __activemask(); else v = __activemask();",
        "v = lane < 16 ? 1 : 2; __syncwarp();",
    ],
)
def test_near_misses(tables: Tables, body: str) -> None:
    assert not found(tables, body)
