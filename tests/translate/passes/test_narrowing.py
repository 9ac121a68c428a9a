"""The pragma in front of braces whose numbers become narrower."""

from __future__ import annotations

import pytest

from hipport.mappings.tables import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source

TYPES = """#include <cuda_runtime.h>
struct Sizes { unsigned count; float scale; const char* name; unsigned more[2]; };
struct Made { Made(int n); unsigned count; };
"""
HEAD = "__global__ void f(int n, unsigned u, long l, float x, double d, int2 v, dim3 g, int* p)"
PRAGMA = '#pragma clang diagnostic ignored "-Wc++11-narrowing"'


def _converted(statement: str, tables: Tables) -> str:
    source = f"{TYPES}{HEAD} {{ {statement} }}\n"
    return convert_source(source.encode(), "a.cu", Context(tables)).data.decode()


@pytest.mark.parametrize(
    "statement",
    [
        "dim3 a{n};",
        "dim3 a = {1, n};",
        "auto a = dim3{n, 2};",
        "unsigned a{n};",
        "unsigned a[] = {n, 1};",
        "unsigned a[2][1] = {{1}, {n}};",
        "const unsigned long a = {n};",
        "int a{l};",
        "int a{u};",
        "short a{n};",
        "float a{n};",
        "float a{d};",
        "float a{x * 2.0};",
        "int a{x};",
        "unsigned a{v.x};",
        "unsigned a{p[1]};",
        "unsigned a{*p};",
        "unsigned a{-(n + 1)};",
        "int a{n + threadIdx.x};",
        "int a{n < 2 ? u : 1};",
        "int a{sizeof(n)};",
        "int a{(long)n};",
        "int a{static_cast<long>(n)};",
        "int a{names.size()};",
        "int a{g.x};",
        "Sizes a = {n};",
        "Sizes a{u, d};",
        'Sizes a = {1, 2, "", {n, 1}};',
        "std::array<unsigned, 2> a = {n, 1};",
        "std::vector<unsigned> a{n, 1};",
        "Other::key a = {{n, v.x}};",
        "bool ok = n > 0; Sums a = {x * x, x, ok};",
        "Sums a{n, x};",
        "Sums a = {d, u, 1};",
    ],
)
def test_turned_off_where_a_number_narrows(statement: str, tables: Tables) -> None:
    converted = _converted(statement, tables)
    assert converted.count(PRAGMA) == 1
    assert converted.index(PRAGMA) < converted.index("__global__")


@pytest.mark.parametrize(
    "statement",
    [
        "dim3 a{u, 2};",
        "dim3 a(n);",
        "unsigned a = n;",
        "unsigned a[] = {u, 1, 1u << 3};",
        "unsigned a{n > 2};",
        "unsigned long a{u};",
        "long a{n}, b{u};",
        "double a{x};",
        "float a{2};",
        "unsigned a{threadIdx.x * 2};",
        "unsigned a{static_cast<unsigned>(n)}, b{(unsigned)n}, c{unsigned(n)};",
        "int a{v.x}, *b{p};",
        "int a{unknown.size};",
        "float a{unknown(n)};",
        'Sizes a = {u, x, "", {u, 1}};',
        "Made a{n};",
        "Other a{n};",
        "Other::key a = {{u, x}};",
        "std::vector<int> a{n, 1};",
        "int2 a{n, n};",
        "for (int a : {n, n}) {}",
    ],
)
def test_left_alone(statement: str, tables: Tables) -> None:
    assert PRAGMA not in _converted(statement, tables)


def test_members_are_initialized_too(tables: Tables) -> None:
    source = "struct __align__(8) Grid {\n  unsigned x;\n  __host__ Grid(int n) : x{n} {}\n};\n"
    assert PRAGMA in convert_source(source.encode(), "a.cuh", Context(tables)).data.decode()


def test_a_pragma_of_the_project_is_enough(tables: Tables) -> None:
    source = f"{PRAGMA}\n__global__ void f(int n) {{ dim3 a{{n}}; }}\n"
    assert convert_source(source.encode(), "a.cu", Context(tables)).data.decode().count(PRAGMA) == 1


def test_the_pragma_has_the_line_ends_of_the_file(tables: Tables) -> None:
    source = f"{TYPES}{HEAD} {{ dim3 a{{n}}; }}\n".replace("\n", "\r\n")
    found = convert_source(source.encode(), "a.cu", Context(tables)).data
    assert PRAGMA.encode() + b"\r\n" in found
    assert b"\n" not in found.replace(b"\r\n", b"")
