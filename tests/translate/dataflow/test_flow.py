"""Functions, their variables, and the values that reach an expression."""

from __future__ import annotations

import pytest

from hipport.source import SourceFile
from hipport.translate.dataflow.flow import Flow
from hipport.translate.dataflow.function import Function, text_of, walk
from hipport.translate.dataflow.lanes import Lanes, Warps
from hipport.translate.dataflow.origins import ballots, is_thread_index
from hipport.translate.syntax.unit import Node, parse


def flow_of(text: str) -> Flow:
    return Flow(parse(SourceFile.decode(text.encode(), "a.cu")))


def in_kernel(body: str) -> tuple[Flow, Function]:
    flow = flow_of(f"__global__ void k(float* data, int n) {{\n{body}\n}}\n")
    function = flow.function_at(flow.unit.code.index("{") + 1)
    assert function is not None
    return flow, function


def argument(function: Function) -> Node:
    """Return the argument of the call of `look`."""
    for node in walk(function.body):
        if node.type == "call_expression" and text_of(node.child_by_field_name("function")) == "look":
            found = node.child_by_field_name("arguments")
            assert found is not None
            first = found.named_child(0)
            assert first is not None
            return first
    raise AssertionError("no call of look")


@pytest.mark.parametrize(
    ("text", "kernel", "device", "host"),
    [
        ("__global__ void f() { }", True, True, False),
        ("__device__ int f() { }", False, True, False),
        ("template <int N> __device__ __forceinline__ int f() { }", False, True, False),
        ("__host__ __device__ int f() { }", False, True, True),
        ("static int f() { }", False, False, True),
        ("__device__ int x;\nint f() { }", False, False, True),
        ("struct S { __device__ int f() const { } };", False, True, False),
    ],
)
def test_kinds_of_functions(text: str, kernel: bool, device: bool, host: bool) -> None:
    flow = flow_of(text)
    function = flow.function_at(text.rindex("{ }"))
    assert function is not None
    assert (function.name, function.kernel, function.device, function.host) == ("f", kernel, device, host)


def test_variables_by_scope() -> None:
    _, function = in_kernel("int i = 1;\nfor (int i = 2; i < n; ++i) { i = 3; }\n__shared__ float s[8][n], *p;\ni = 4;")
    outer, inner = function.variables.named["i"].items
    assert [text_of(value) for value in outer.values] == ["1", "4"]
    assert [text_of(value) for value in inner.values] == ["2", "3"]
    shared, pointer = function.variables.named["s"].items[0], function.variables.named["p"].items[0]
    assert shared.shared and [text_of(size) for size in shared.sizes] == ["8", "n"]
    assert pointer.pointer and not pointer.alone
    assert function.variables.named["data"].items[0].parameter


@pytest.mark.parametrize(
    "body",
    [
        "look(threadIdx.x);",
        "int t = threadIdx.x; int u = (int)t; look(u);",
        "int t; t = blockIdx.x * blockDim.x + threadIdx.x; look(t);",
        "auto block = cg::this_thread_block(); look(block.thread_rank());",
        "look(threadIdx.y * blockDim.x + threadIdx.x);",
        "look(n > 0 ? threadIdx.x : 0);",
    ],
)
def test_thread_indices(body: str) -> None:
    flow, function = in_kernel(body)
    assert is_thread_index(flow, argument(function), function)


@pytest.mark.parametrize(
    "body",
    [
        "look(n);",
        "look(threadIdx.x * 4);",
        "int t = threadIdx.x / 4; look(t);",
        "look(blockIdx.x);",
        "look(data[threadIdx.x]);",
        "look(f(threadIdx.x));",
        "int t = threadIdx.x; { int t = n; look(t); }",
        "int a = b; int b = a; look(a);",
    ],
)
def test_other_values(body: str) -> None:
    flow, function = in_kernel(body)
    assert not is_thread_index(flow, argument(function), function)


def test_ballots_through_variables() -> None:
    flow, function = in_kernel("unsigned b = __ballot_sync(m, p), c = b & ~3; c |= 1; look(c ^ 5);")
    assert [text_of(call) for call in ballots(flow, argument(function), function)] == ["__ballot_sync(m, p)"]
    flow, function = in_kernel("int c = __popc(__ballot_sync(m, p)); look(c);")
    assert not list(ballots(flow, argument(function), function))


@pytest.mark.parametrize(
    ("text", "lanes"),
    [
        ("__device__ void f() { __shfl_sync(m, v, 0); }", Lanes.LOGICAL_32),
        ("__device__ void f() { __shfl_sync(m, v, 0); int x = warpSize; }", Lanes.WAVEFRONT),
        ("const int warpSize = 32;\n__device__ void f() { __shfl_sync(m, v, 0); int x = warpSize; }", Lanes.LOGICAL_32),
        ("__device__ void f(P p) { __shfl_sync(m, v, 0); int x = p.warpSize; }", Lanes.LOGICAL_32),
        ("#define W warpSize\n__device__ void f() { __shfl_sync(m, v, W - 1); }", Lanes.WAVEFRONT),
        (
            "__device__ void f() { for (int i = 16; i; i /= 2) __shfl_sync(m, v, i); int x = warpSize; }",
            Lanes.LOGICAL_32,
        ),
        ("__device__ void f() { for (int i = 1; i < warpSize; i *= 2) __shfl_sync(m, v, i); }", Lanes.WAVEFRONT),
        ("__device__ void g() { int x = warpSize; }\n__device__ void f() { __shfl_sync(m, v, 0); }", Lanes.WAVEFRONT),
        (
            "__device__ void g() { int x = warpSize; }\n__device__ void h() { int l = threadIdx.x & 31; }\n"
            "__device__ void f() { __shfl_sync(m, v, 0); }",
            Lanes.LOGICAL_32,
        ),
        ("#define F __shfl_sync(m, v, 0)\n__device__ void g() { int x = warpSize; }", Lanes.WAVEFRONT),
    ],
)
def test_lanes(text: str, lanes: Lanes) -> None:
    flow = flow_of(text)
    offset = text.index("__shfl_sync")
    function = flow.function_at(offset)
    calls = list(Warps(flow).calls(function, frozenset({"__shfl_sync"}))) if function is not None else []
    assert Warps(flow).at(calls[0] if calls else None, offset) is lanes
