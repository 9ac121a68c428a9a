"""HP234: launches whose errors are lost, generated from calls of the runtime, ways to ask, and releases."""

from __future__ import annotations

import itertools

import pytest

from hipport.mappings.choice import NameChoice
from hipport.mappings.loader import load_choice
from hipport.translate.context import Context, Options
from hipport.translate.convert import check_source

CALLS = (
    "cudaDeviceSynchronize()",
    "cudaStreamSynchronize(stream)",
    "cudaEventRecord(event)",
    "cudaMemcpy(to, from, n, cudaMemcpyDeviceToHost)",
    "cudaFree(from)",
    "cudaSetDevice(0)",
)
WRAPPERS = ("{};", "CHECK({});", "error = {};", "if ({} != cudaSuccess) return;", "(void){};")
QUERIES = (
    "error = cudaGetLastError();",
    "CHECK(cudaPeekAtLastError());",
    "if (cudaGetLastError() != cudaSuccess) return;",
    'printf("%s", cudaGetErrorString(cudaGetLastError()));',
)
LAUNCHES = ("k<<<1, n>>>(to);", "for (int i = 0; i < n; ++i) k<<<i, n>>>(to);", "if (n) { k<<<1, n>>>(to); }")
FRAME = """#define CHECK(x) report((x), __LINE__)
void f(cudaStream_t stream, cudaEvent_t event, int* to, int* from, int n) {{
  cudaError_t error;
{}
}}
"""


def reported(*statements: str, rocm: str = "6.4") -> list[int]:
    text = FRAME.format("\n".join(statements))
    checked = check_source(text.encode(), "host.cu", Context(load_choice(NameChoice(rocm=rocm)), Options()))
    return [found.line - 3 for found in checked.diagnostics if found.code == "HP234"]


@pytest.mark.parametrize("query", QUERIES)
def test_a_call_between_loses_the_error(query: str) -> None:
    for launch, call, wrapper in itertools.product(LAUNCHES, CALLS, WRAPPERS):
        assert reported(launch, wrapper.format(call), query) == [3], (launch, call, wrapper)


@pytest.mark.parametrize("rocm", ["7.0", "7.2"])
def test_later_releases_keep_it(rocm: str) -> None:
    assert reported(LAUNCHES[0], "cudaDeviceSynchronize();", QUERIES[0], rocm=rocm) == []


@pytest.mark.parametrize(
    "statements",
    [
        (LAUNCHES[0], QUERIES[0]),
        (LAUNCHES[0], QUERIES[0], "cudaDeviceSynchronize();", QUERIES[0]),
        (LAUNCHES[0], QUERIES[1], "cudaDeviceSynchronize();", QUERIES[1]),
        (LAUNCHES[0], "getLastCudaError(1);", "cudaDeviceSynchronize();", QUERIES[0]),
        (LAUNCHES[0], "KERNEL_CHECK();", "cudaDeviceSynchronize();", QUERIES[0]),
        ("cudaDeviceSynchronize();", QUERIES[0]),
        ("cudaFree(to);", "cudaFree(from);", QUERIES[0]),
        (LAUNCHES[0], "cudaGetErrorString(error);", QUERIES[0]),
        (LAUNCHES[0], "if (n) { cudaDeviceSynchronize(); }", QUERIES[0]),
        (LAUNCHES[0], "if (n) { cudaDeviceSynchronize(); } else {", QUERIES[0], "}"),
        ("if (n) {", LAUNCHES[0], "} else {", "cudaFree(to);", QUERIES[0], "}"),
        (LAUNCHES[0], "cudaDeviceSynchronize();", "// cudaGetLastError()"),
    ],
)
def test_others_are_not_reported(statements: tuple[str, ...]) -> None:
    assert reported(*statements) == []


@pytest.mark.parametrize(("rocm", "lines"), [("5.2", [2]), ("6.4", [2]), ("7.0", [])])
def test_the_status_of_impossible_launches(rocm: str, lines: list[int]) -> None:
    compared = "if (error == cudaErrorInvalidConfiguration) return;"
    assert reported("k<<<1, n>>>(to);", "error = cudaGetLastError();", compared, rocm=rocm) == lines
    assert reported("k<<<1, n>>>(to);", "error = cudaGetLastError();", rocm=rocm) == []
