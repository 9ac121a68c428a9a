"""`std::declval` in device functions."""

from __future__ import annotations

import pytest

from hipport.mappings.tables import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source

HEADER = "#include <hipport/compat/declval.h>"


@pytest.mark.parametrize(
    "function",
    [
        "__device__ auto call(F f) -> decltype(std::declval<F>()(1)) { return f(1); }",
        "__device__ decltype(std::declval<F>()(1)) call(F f) { return f(1); }",
        "__device__ std::enable_if_t<true, decltype(declval<F>()(1))> call(F f) { return f(1); }",
        "__device__ int call(F f) { using T = decltype(std::declval<F>()(1)); return T(); }",
        "__device__ int call(F f) { for (;;) { if (f(1)) { return sizeof(std::declval<F>()(1)); } } }",
        "__global__ void call(F f) { decltype(std::declval<F>()(1)) value; }",
        "struct Calls { F f; __device__ auto call() -> decltype(std::declval<F>()(1)) { return f(1); } };",
    ],
)
@pytest.mark.parametrize("macro", [False, True])
def test_declared_for_device_functions(function: str, macro: bool, tables: Tables) -> None:
    head = "#define FUNCTION " if macro else ""
    source = f"#include <utility>\n{head}template <class F> {function}\n__global__ void k() {{}}\n"
    converted = convert_source(source.encode(), "a.cu", Context(tables)).data.decode()
    assert converted.count(HEADER) == 1
    assert converted.index("<utility>") < converted.index(HEADER) < converted.index("template")


def test_macros_for_device_functions_count(tables: Tables) -> None:
    source = "#define APP_D __device__\ntemplate <class F> APP_D auto f(F f) -> decltype(std::declval<F>()(1));\n"
    assert HEADER in convert_source(source.encode(), "a.cuh", Context(tables)).data.decode()


@pytest.mark.parametrize(
    "function",
    [
        "__host__ __device__ auto call(F f) -> decltype(std::declval<F>()(1)) { return f(1); }",
        "auto call(F f) -> decltype(std::declval<F>()(1)) { return f(1); }",
        "struct Result { __device__ int get(); using type = decltype(std::declval<F>()(1)); };",
        "__device__ int call(F f) { return f.declval; }",
    ],
)
def test_others_do_not_need_it(function: str, tables: Tables) -> None:
    source = f"#include <utility>\ntemplate <class F> {function}\n__global__ void k() {{}}\n"
    assert HEADER not in convert_source(source.encode(), "a.cu", Context(tables)).data.decode()
