"""Templates that Clang rejects although nothing uses them (HP134)."""

from __future__ import annotations

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source


def reported(source: str, tables: Tables) -> list[int]:
    """Return the lines with a finding."""
    found = convert_source(source.encode(), "a.cu", Context(tables)).diagnostics
    return [each.line for each in found if each.code == "HP134"]


@pytest.mark.parametrize(
    "body",
    [
        "int f() { return this->lost; }",
        "int f() { return (*this).lost; }",
        "int f() { return g(1) + (*this).lost; }",
        "int f() { return this->lost(1); } int g(A* a) { return a->lost; }",
        "DEVICE_INLINE int f() { return this->lost; }",
        "int f() { CHECK_IT(this->lost); return 1; }",
        "int f() { return this -> template lost<3>(); }",
    ],
)
@pytest.mark.parametrize("head", ["template <class T> struct A", "template <class T, int N>\nclass A<T*, N> final"])
def test_members_that_a_class_template_lacks_are_reported(head: str, body: str, tables: Tables) -> None:
    assert len(reported(f"{head} {{ {body} }};", tables)) == 1


@pytest.mark.parametrize(
    "source",
    [
        "template <class T> struct A { int lost; int f() { return this->lost; } };",
        "template <class T> struct A { int f() { return norm(*this).x + norm<2> (*this).y + (norm)(*this).z; } };",
        "template <class T> struct A { int f() { return this->lost(); } int lost(); };",
        "template <class T> struct A { enum { lost }; int f() { return this->lost; } };",
        "template <class T> struct A : T { int f() { return this->lost; } };",
        "template <class T> struct A : B<T> { int f() { return this->lost; } };",
        "template <class T> struct A { MEMBERS(T) int f() { return this->lost; } };",
        'template <class T> struct A {\n#include "members.inl"\nint f() { return this->lost; } };',
        "template <class T> struct A { struct I : T { int f() { return this->lost; } }; };",
        "struct A { int f() { return this->lost; } };",
        "template <class T> struct A { int f(A* a, T* b) { return b->lost; } };",
        "template <class T> struct A { int f() { return T::lost; } };",
        "template <> struct A<int> { int f() { return this->lost; } };",
        "template <class T> int A<T>::f(int i) { int x = operator[](i); return x; }",
    ],
)
def test_members_that_may_be_there_are_not(source: str, tables: Tables) -> None:
    assert reported(source, tables) == []


@pytest.mark.parametrize(
    "definition",
    [
        "template <class T> __device__ void A<T>::f(int a, int b = 3) {}",
        "template <class T> __device__ void A<T, 2>::f(int a = 1, int b = 3) const {}",
        "template <class T> __device__ void A<T>::I::f(int b = g(1)) noexcept {}",
        "template <class T> template <class U> __device__ void A<T>::f(U a, int b = 3) {}",
        "template <class T> A<T>::A(int a = 1) : b(a) {}",
        "template <class T> int A<T>::operator()(int a, int b = 1) const {}",
        "template <class T> auto A<T>::f(int a = 1) -> int {}",
    ],
)
def test_default_arguments_behind_the_class_are_reported(definition: str, tables: Tables) -> None:
    assert reported(f"int x;\n{definition}", tables) == [2]


@pytest.mark.parametrize(
    "source",
    [
        "template <class T> struct A { void f(int a, int b = 3) {} };",
        "template <class T> void A<T>::f(int a, int b) { int c = 3; }",
        "template <> void A<int>::f(int a, int b = 3) {}",
        "void A::f(int a, int b = 3) {}",
        "template <class T> void f(int a = 3) {}",
        "template <class T> void A<T>::f(int a) { B<T>::g(a = 3); }",
        "template <class T> bool A<T>::f(B<(1 >= 2)> a) { return a == b; }",
        "template <class T> void A<T>::f(int a = 3);",
    ],
)
def test_default_arguments_elsewhere_are_not(source: str, tables: Tables) -> None:
    assert reported(source, tables) == []
