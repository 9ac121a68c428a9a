"""Macros that the project names like CUDA's functions: their bodies call CUDA's."""

from __future__ import annotations

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        ("#define cudaFree(p) counted(cudaFree(p))", "#define cudaFree(p) counted(hipFree(p))"),
        ("#define cudaFree(p) (log(#p), ::cudaFree(p))", "#define cudaFree(p) (log(#p), ::hipFree(p))"),
        (
            "#define cudaFree(p) \\\n  do { cudaFree(p); } while (0)",
            "#define cudaFree(p) \\\n  do { hipFree(p); } while (0)",
        ),
        ("#define cudaFree my_free", "#define cudaFree my_free"),
        ("#define cudaFree(p) cudaFreeAsync(p, 0)", "#define cudaFree(p) hipFreeAsync(p, 0)"),
    ],
)
def test_bodies_call_what_cuda_has(definition: str, expected: str, tables: Tables) -> None:
    source = f"{definition}\nvoid f(int* p) {{ cudaFree(p); }}\n"
    data = convert_source(source.encode(), "a.cu", Context(tables)).data.decode()
    assert f"{expected}\nvoid f(int* p) {{ cudaFree(p); }}\n" in data
