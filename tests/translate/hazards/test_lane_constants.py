"""Constants that mean 32 lanes, in functions whose lanes are those of `warpSize`: each is reported."""

from __future__ import annotations

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source

HEADS = ("int lane = t & (warpSize - 1);", "int lane = t % warpSize;", "const unsigned lane = threadIdx.x % warpSize;")
REPORTED = {
    "last lane": "o[t] = __shfl_sync(m, v, 31);",
    "reversed": "o[t] = __shfl_sync(m, v, 31 - lane);",
    "named": "const int W = 32; o[t] = __shfl_sync(m, v, W - 1 - lane);",
    "held": "int from = 31 - lane; o[t] = __shfl_sync(m, v, from);",
    "beyond": "o[t] = __shfl_sync(m, v, lane + 33);",
    "beyond left": "o[t] = __shfl_sync(m, v, 32 + lane);",
    "before": "o[t] = __shfl_sync(m, v, lane - 32);",
    "mirrored": "o[t] = __shfl_sync(m, v, lane ^ 31);",
    "is last": "if (lane == 31) o[t] = v; v = __shfl_up_sync(m, v, 1);",
    "last is": "if (31 == lane) o[t] = v; v = __shfl_up_sync(m, v, 1);",
    "is not last": "v = __shfl_down_sync(m, v, 1); if (lane != 31) o[t] = v;",
    "below last": "v = __shfl_down_sync(m, v, 1); if (lane < 31) o[t] = v;",
    "upper half": "o[t] = __popc(__ballot_sync(m, v) & 0xffff0000u);",
    "last bit": "o[t] = (__ballot_sync(m, v) & 0x80000000) != 0;",
    "last bit shifted": "o[t] = (__ballot_sync(m, v) & (1u << 31)) != 0;",
    "all": "o[t] = __ballot_sync(m, v) == 0xffffffff;",
}
FINE = {
    "last lane": "o[t] = __shfl_sync(m, v, warpSize - 1);",
    "reversed": "o[t] = __shfl_sync(m, v, warpSize - 1 - lane);",
    "next": "o[t] = __shfl_sync(m, v, (lane + 1) & (warpSize - 1));",
    "segment": "o[t] = __shfl_sync(m, v, lane / 16 * 16 + 3);",
    "is last": "if (lane == warpSize - 1) o[t] = v; v = __shfl_up_sync(m, v, 1);",
    "number": "if (v == 31) o[t] = v; v = __shfl_up_sync(m, v, 1);",
    "first half": "o[t] = __popc(__ballot_sync(m, v) & 0xff);",
    "no exchange": "if (lane == 31) o[t] = v;",
}


def found(body: str, tables: Tables) -> set[str]:
    code = f"__global__ void k(int* o) {{ int t = threadIdx.x, v = o[t]; const unsigned m = 0xffffffffu;\n{body}\n}}\n"
    done = convert_source(f"#include <cuda_runtime.h>\n{code}".encode(), "a.cu", Context(tables))
    return {each.code for each in done.diagnostics} & {"HP201", "HP202", "HP203", "HP204"}


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("kind", REPORTED)
def test_constants_of_32_lanes_are_reported(kind: str, head: str, tables: Tables) -> None:
    assert found(f"{head}\n{REPORTED[kind]}", tables)


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("kind", FINE)
def test_what_suits_any_warp_is_not(kind: str, head: str, tables: Tables) -> None:
    assert not found(f"{head}\n{FINE[kind]}", tables)


@pytest.mark.parametrize("kind", REPORTED)
def test_nothing_is_said_where_all_have_32_lanes(kind: str, tables: Tables) -> None:
    assert not found(f"int lane = t & 31;\n{REPORTED[kind]}", tables)
