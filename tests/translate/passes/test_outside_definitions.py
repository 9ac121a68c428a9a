"""Definitions outside of their namespace that match no declaration in it."""

from __future__ import annotations

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source

_HEAD = "#include <cuda_runtime.h>\n"
_DECLARED = "namespace app { namespace on {\n%s\n} struct S; }\n"
_TEMPLATE = "template <typename T> __device__ void f(T* a, volatile T s[9][33]);"


def _moved(declared: str, definition: str, tables: Tables) -> str:
    text = _HEAD + _DECLARED % declared
    converted = convert_source((text + definition).encode(), "x.cu", Context(tables)).data.decode()
    text = text.replace("cuda_runtime.h", "hip/hip_runtime.h")
    assert converted.startswith(text)
    return converted[len(text) :]


@pytest.mark.parametrize(
    ("declared", "definition", "inside"),
    [
        (
            _TEMPLATE,
            "template <typename T> __device__ void app::on::f(T* a, int n) { a[n] = 1; }",
            "template <typename T> __device__ void f(T* a, int n) { a[n] = 1; }",
        ),
        (
            _TEMPLATE,
            "template <typename T> __device__ void app::on::f(T* a, volatile T s[9][32]) {}",
            "template <typename T> __device__ void f(T* a, volatile T s[9][32]) {}",
        ),
        (
            _TEMPLATE,
            "template <typename T, int N> __device__ void app :: on::f(T* a, volatile T s[9][33]) {}",
            "template <typename T, int N> __device__ void f(T* a, volatile T s[9][33]) {}",
        ),
        (
            "__device__ int f(int);",
            "__device__ __forceinline__ int app::on::f(int a, int b) { return a + b; }",
            "__device__ __forceinline__ int f(int a, int b) { return a + b; }",
        ),
    ],
)
def test_another_overload_is_put_into_its_namespace(
    declared: str, definition: str, inside: str, tables: Tables
) -> None:
    assert _moved(declared, definition, tables) == f"namespace app {{ namespace on {{ {inside} }} }}"


@pytest.mark.parametrize(
    ("declared", "definition"),
    [
        (_TEMPLATE, "template <typename T> __device__ void app::on::f(T* b, volatile T u[9][33]) {}"),
        ("__device__ int f(int);", "__device__ int app::on::f(int other) { return other; }"),
        ("__device__ int f(int);", "__device__ int app::on::g(int a, int b) { return a; }"),
        ("struct f { __device__ void f2(int); };", "__device__ void app::on::f::f2(int a, int b) {}"),
        ("__device__ int f(int);", "__device__ int app::S::f(int a, int b) { return a; }"),
        ("int f(int);", "int app::on::f(int a, int b) { return a; }"),
    ],
)
def test_other_definitions_stay(declared: str, definition: str, tables: Tables) -> None:
    assert _moved(declared, definition, tables) == definition
