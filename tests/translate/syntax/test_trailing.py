"""`->` before a type that a function returns, and before a member."""

from __future__ import annotations

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source

_TYPES = (
    "auto f(int a) -> {};",
    "auto f(int a) -> {} {{ return g(); }}",
    "template <class T> auto f(T t) -> {};",
    "auto f(int a = g(1)) -> {};",
    "auto A::B<int>::f(int a) -> {} {{ return g(); }}",
    "struct A {{ auto f() const -> {}; }};",
    "struct A {{ virtual auto f() const noexcept -> {}*; }};",
    "struct A {{ auto f() & -> {}&; }};",
    "struct A {{ auto f() && noexcept(true) -> {}; }};",
    "struct A {{ auto operator()(int a) -> {}; }};",
    "struct A {{ auto operator==(A a) -> {}; }};",
    "auto (*f)(int) -> {};",
    "S<auto (int) -> {}> f;",
    "auto f = [](int a) -> {} {{ return g(); }};",
    "auto f = [&] -> {} {{ return g(); }};",
    "auto f = [=, &b](int a) mutable -> {} {{ return g(); }};",
    "auto f = [=] __device__ (int a) -> {} {{ return g(); }};",
    "auto f = []<class T>(T a) -> {} {{ return g(); }};",
    "auto f() {{ return [](int a) -> {} {{ return g(); }}; }}",
    "auto f(int a) -> const {}*;",
    "auto f(int a) -> ::{};",
    "auto f(int a) -> A<{}>;",
)
_MEMBERS = (
    "int f(A* a) {{ return a->{}; }}",
    "int f(A* a) {{ return a -> {}; }}",
    "int f(A* a) {{ return (a)->{}; }}",
    "int f(A* a) {{ return g(a)->{}; }}",
    "int f(A* a) {{ return a[1](2)->{}; }}",
    "int f(A* a) {{ return a[1]->{}; }}",
    "int f(A* a) {{ auto x = g(a)->{}; }}",
    "int f(A* a) {{ auto x(g(a)->{}); }}",
    "int f(A* a) {{ auto x{{g(a)->{}}}; }}",
    "int f(A* a) {{ for (auto x : g(a)->{}) {{ }} }}",
    "auto f(A* a) {{ return a->g()->{}; }}",
    "auto f(A* a) -> decltype(a->{});",
    "auto f(A* a) -> decltype(a->g()->{});",
    "int f(A* a) {{ return a->operator->()->{}; }}",
)


@pytest.mark.parametrize("form", _TYPES)
def test_types_that_functions_return_are_translated(form: str, tables: Tables) -> None:
    text = convert_source(form.format("cudaStream_t").encode(), "a.cu", Context(tables)).data.decode()
    assert form.format("hipStream_t") in text


@pytest.mark.parametrize("form", _MEMBERS)
def test_members_of_that_name_stay(form: str, tables: Tables) -> None:
    text = convert_source(form.format("cudaStream_t").encode(), "a.cu", Context(tables)).data.decode()
    assert form.format("cudaStream_t") in text
