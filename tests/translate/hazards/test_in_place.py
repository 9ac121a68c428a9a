"""HP208: statements that change each thread's element and read another's, and statements that only look so."""

from __future__ import annotations

import itertools

import pytest

from hipport.mappings.choice import NameChoice
from hipport.mappings.loader import load_choice
from hipport.translate.context import Context, Options
from hipport.translate.convert import check_source

SYNC = "__syncthreads();"
INDICES = {"threadIdx.x": "", "t": "const int t = threadIdx.x; ", "lane": "const int lane = threadIdx.x % 32; "}
STATEMENTS = (
    "s[I] += s[I ^ 8];",
    "s[I] = s[I] + 2 * s[(8 ^ I)];",
    "s[I] = max(s[I], s[I ^ d]);",
    "s[I] += s[I - 1];",
    "if (I >= d) s[I] += s[I - d];",
    "if (I > 0) s[I] = s[I] + s[I - d];",
    "s[I] -= s[31 - I];",
    "if (I < 16) { s[I] += s[I ^ 8]; }",
    "for (int k = 1; k < 32; k *= 2) { s[I] += s[I ^ k]; __syncthreads(); }",
)


def messages(text: str) -> list[str]:
    context = Context(load_choice(NameChoice(rocm="5.2")), Options())
    checked = check_source(text.encode(), "in_place.cu", context)
    return [f"{one.severity.name} {one.line} {one.message}" for one in checked.diagnostics if one.code == "HP208"]


def kernel(body: str, declared: str = "__shared__ float s[64];") -> str:
    return (
        f"__global__ void k(float* out) {{ {declared} int d = 1; d = 2; s[threadIdx.x] = 1; "
        f"{SYNC} {body} {SYNC} out[threadIdx.x] = s[threadIdx.x]; }}\n"
    )


@pytest.mark.parametrize(("statement", "index"), [*itertools.product(STATEMENTS, INDICES)])
def test_reported(statement: str, index: str) -> None:
    found = messages(kernel(INDICES[index] + statement.replace("I", index)))
    assert len(found) == 1
    assert "'s' is changed and read at another thread's index in one statement" in found[0]


@pytest.mark.parametrize(
    "statement",
    [
        "if (t < d) s[t] += s[t ^ d];",  # the other half of the threads changes nothing
        "if (t < 8) s[t] += s[t ^ 8];",
        "if ((t & 8) == 0) s[t] += s[t ^ 8];",
        "int o = t ^ d; if (o > t) s[t] += s[o];",
        "if (t < 2 * d) s[t] += s[t ^ d];",
        "if (t == 3) s[t] += s[t - 1];",
        "if (t % 2 == 1) s[t] += s[t - 1];",
        "if (t % 2) return; s[t] += s[t ^ 1];",
        "s[t] += s[t + 1];",  # in the order of the threads, the sum of the first is right
        "s[t] += s[t];",
        "s[t] += in[t ^ 8];",
        "s[0] += s[t ^ 8];",
        "float v = s[t ^ 8]; __syncthreads(); s[t] += v;",
        "float v[64]; v[t] += v[t ^ 8];",
        "s[2 * t + 1] += s[2 * t];",
    ],
)
def test_near_misses(statement: str) -> None:
    text = kernel(f"const int t = threadIdx.x; {statement}").replace("float* out", "const float* in, float* out")
    assert messages(text) == []


def test_parameters_of_device_functions() -> None:
    body = "(float* sums, int n) { const int i = threadIdx.x; sums[i] += sums[i ^ 8]; __syncwarp(); }\n"
    assert len(messages(f"__device__ void helper{body}")) == 1
    assert messages(f"__global__ void kernel{body}") == []  # global memory: another matter
    assert messages(f"void host{body}") == []


def test_one_report_for_an_array() -> None:
    assert len(messages(kernel("int t = threadIdx.x; s[t] += s[t ^ 2]; __syncthreads(); s[t] += s[t ^ 1];"))) == 1


def test_arrays_that_are_reported_otherwise() -> None:
    found = messages(kernel("int t = threadIdx.x; s[t] += s[t - 2]; s[t] += s[t - 1];"))
    assert [one for one in found if "in one statement" in one] == []
    assert len(found) == 1


def test_volatile_arrays_get_a_note() -> None:
    found = messages(kernel("int t = threadIdx.x; s[t] += s[t ^ 2];", "volatile __shared__ float s[64];"))
    assert [one.split()[0] for one in found] == ["NOTE"]
