"""Second translations, with what other files define: they are left out only if they would come out the same."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.conversion import Conversion
from hipport.translate.convert import convert_source
from hipport.translate.memory import Memory

HOST = b"""#include <cuda_runtime.h>
#include <algorithm>
#include "own.h"
int f(int a, int b) { return std::min(a, b); }
void g(int* p) { cudaFree(p); own::cudaFree(p); cudaMalloc(&p, 4); }
__global__ void k(int* p) { p[threadIdx.x] = min(p[0], blockDim.x); atomicAdd(p, __shfl(*p, 0)); }
#define CALL(x) cuda##x
"""
PLAIN = HOST.replace(b"#define CALL(x) cuda##x\n", b"")


def _both(data: bytes, tables: Tables, *facts: str) -> tuple[Conversion, Conversion, bool]:
    """Return a second translation after a first one, the same without it, and whether the first one was returned."""
    context = Context(tables, memory=Memory())
    first = convert_source(data, "a.cu", context)
    told = replace(context, foreign=frozenset(facts))
    second = convert_source(data, "a.cu", told)
    return second, convert_source(data, "a.cu", replace(told, memory=None)), second is first


@pytest.mark.parametrize("data", [HOST, PLAIN])
@pytest.mark.parametrize(
    "facts",
    [
        ("cudaFree",),
        ("cudaFree@own",),
        ("cudaFree@elsewhere", "cudaMemcpy"),
        ("cudaFree@=own",),
        ("min",),
        ("threadIdx",),
        ("__shfl",),
        ("atomicAdd",),
        ("WARP=32",),
        ("#in-code",),
        ("f()=32:exchanges:f:b.cuh:1",),
    ],
)
def test_a_second_translation_is_the_same_with_and_without_the_first(
    data: bytes, facts: tuple[str, ...], tables: Tables
) -> None:
    second, alone, _ = _both(data, tables, *facts)
    assert (second.data, second.diagnostics, second.support) == (alone.data, alone.diagnostics, alone.support)


def test_names_that_a_file_does_not_mean_change_nothing(tables: Tables) -> None:
    assert _both(PLAIN, tables, "cudaFree@elsewhere", "cudaMemcpy")[2]


@pytest.mark.parametrize("fact", ["cudaFree", "threadIdx", "WARP=32", "#in-code"])
def test_what_a_file_may_ask_for_is_translated_again(fact: str, tables: Tables) -> None:
    assert not _both(PLAIN, tables, fact)[2]


def test_other_bytes_are_not_the_same_file(tables: Tables) -> None:
    context = Context(tables, memory=Memory())
    convert_source(PLAIN, "a.cu", context)
    told = replace(context, foreign=frozenset({"cudaMemcpy"}))
    assert convert_source(b"cudaError_t e;\n", "a.cu", told).data.endswith(b"hipError_t e;\n")
