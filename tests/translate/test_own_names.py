"""Names of CUDA that a header defines for builds without CUDA: definition and uses are renamed together, or stay."""

from __future__ import annotations

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source

DEFINITIONS = ("typedef int cudaStream_t;", "#define cudaStream_t int", "using cudaStream_t = int;")


def renamed(tables: Tables, text: str) -> bool:
    data = convert_source(text.encode(), "a.h", Context(tables)).data
    assert (b"cudaStream_t" in data) is not (b"hipStream_t" in data)
    return b"hipStream_t" in data


@pytest.mark.parametrize("switch", ["USE_CUDA", "WITH_CUBLAS", "OUR_GPU", "HAVE_CUFFT && X", "defined(USE_NVCC)"])
@pytest.mark.parametrize("definition", DEFINITIONS)
def test_in_the_other_branch_of_a_switch_for_cuda(tables: Tables, switch: str, definition: str) -> None:
    body = f"#if {switch}\n#define B 1\n#else\n{definition}\n#endif\nvoid f(cudaStream_t s);\n"
    assert renamed(tables, f"#ifndef A_H\n#define A_H\n{body}#endif\n")


@pytest.mark.parametrize("definition", DEFINITIONS)
@pytest.mark.parametrize("switch", ["USE_THREADS", "BARRACUDA", "GPUX"])
def test_of_another_switch(tables: Tables, switch: str, definition: str) -> None:
    body = f"#if {switch}\n#define B 1\n#else\n{definition}\n#endif\nvoid f(cudaStream_t s);\n"
    assert not renamed(tables, body)
    assert not renamed(tables, f"#ifndef OUR_CUDA_H\n#define OUR_CUDA_H\n{body}#endif\n")
