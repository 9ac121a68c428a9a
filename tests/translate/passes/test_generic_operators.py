"""Operator templates for operands of any types, beside the operators of HIP's vector types."""

from __future__ import annotations

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source

_MACRO = """#define OPERATOR(SYMBOL)                               \\
  template <typename T, typename U, class = If<T, U>>         \\
  inline __host__ __device__ auto operator SYMBOL(T a, U b)   \\
  {                                                           \\
    return make(a.x SYMBOL b, a.y SYMBOL b);                  \\
  }
"""


@pytest.mark.parametrize(
    ("code", "reported"),
    [
        ("template <class T, class U> __device__ auto operator+(T a, U b) { return make(a.x + b, a.y + b); }", True),
        ("template <class T, class U> __device__ T& operator+=(T& a, const U& b) { a.x += b.x; return a; }", True),
        (_MACRO, True),
        (_MACRO.replace("operator SYMBOL", "operator SYMBOL##="), True),
        ("template <class T> __device__ T operator+(T a, T b) { return T{a.x + b.x}; }", False),
        ("template <class T, class U> __device__ auto operator+(V<T> a, V<U> b) { return make(a.x + b.x); }", False),
        ("template <class L, class R> auto operator+(const L& l, const R& r) { return Sum<L, R>(l, r); }", False),
        (
            "template <class T, class U> auto add(T a, U b) { return a; }\nV operator+(V a, W b) { return a.x; }",
            False,
        ),
        ("template <class T, class U> auto operator()(T a, U b) { return a.x + b.x; }", False),
        ("template <class T, class U> auto operator+(T a, U b);", False),
    ],
)
def test_templates_that_take_vectors_are_reported(code: str, reported: bool, tables: Tables) -> None:
    conversion = convert_source(("#include <cuda_runtime.h>\n" + code).encode(), "x.cu", Context(tables))
    assert [found.code for found in conversion.diagnostics] == ["HP109"] * reported
