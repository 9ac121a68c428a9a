"""HP136 where the class is in another file."""

from __future__ import annotations

import pytest

from hipport.mappings.tables import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source, definitions

KERNEL = b"__global__ void k(int* p) { __shared__ math::Zq z[4]; p[0] = z[0].v; }\n"
CLASS = b"struct Zq { __device__ constexpr Zq() : v(0) {} int v; };\n"


@pytest.mark.parametrize(
    ("header", "found"),
    [(CLASS, ["HP136"]), (CLASS.replace(b": v(0) {}", b"{}"), []), (CLASS.replace(b"Zq", b"Other"), [])],
)
def test_of_another_file(header: bytes, found: list[str], tables: Tables) -> None:
    told = definitions(header, "zq.h", Context(tables)).defines
    converted = convert_source(KERNEL, "a.cu", Context(tables, foreign=told))
    assert [each.code for each in converted.diagnostics if each.code == "HP136"] == found
    assert "Zq" in convert_source(KERNEL, "a.cu", Context(tables)).uses
