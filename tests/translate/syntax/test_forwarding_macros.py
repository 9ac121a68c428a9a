"""Macros by which a project stands in for CUDA's functions: uses of those that only forward are renamed."""

from __future__ import annotations

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source


@pytest.mark.parametrize(
    ("macro", "forwards"),
    [
        ("cudaMalloc hipMalloc", True),
        ("cudaMalloc(p, n) hipMalloc(p, n)", True),
        ("cudaMalloc(p, n) hipMalloc((p), (n))", True),
        ("cudaMalloc(p, n) hipMalloc((void **)(p), n)", True),
        ("cudaMalloc(...) hipMalloc(__VA_ARGS__)", True),
        ("cudaMalloc(p, ...) hipMalloc(HIP_SYMBOL(p), __VA_ARGS__)", True),
        ("cudaMalloc(p, n) hipMalloc(n, p)", False),
        ("cudaMalloc(p, n) hipMalloc(p, n + 8)", False),
        ("cudaMalloc(p, n) ourMalloc(p, n)", False),
        ("cudaMalloc(p, n) hipMalloc(p)", False),
        ("cudaMalloc() hipMalloc(0, 0)", False),
    ],
)
def test_uses(tables: Tables, macro: str, forwards: bool) -> None:
    text = f"#ifdef OUR_BUILDING_HIP\n#define {macro}\n#endif\nvoid f(void **p) {{ cudaMalloc(p, 4); }}\n"
    made = convert_source(text.encode(), "a.cu", Context(tables))
    assert ("{ hipMalloc(p, 4); }" in made.data.decode()) is forwards
    assert f"#define {macro}\n" in made.data.decode()
