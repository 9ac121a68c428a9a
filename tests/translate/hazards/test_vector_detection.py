"""Templates that ask what a vector type can do (HP135)."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from hipport.mappings.loader import Tables
from hipport.project.request import Mode
from hipport.project.run import run
from hipport.translate.context import Context
from hipport.translate.convert import convert_source
from tests.project.fake import build, request

OPERATIONS = ("V + V", "V == V", "V * V", "V < V", "V -= V")
QUESTIONS = {
    "void_t": "template <class T, class = void> struct asks : std::false_type {};\n"
    "template <class T> struct asks<T, std::void_t<decltype(@)>> : std::true_type {};",
    "sizeof": "template <class T> auto ask(int) -> decltype(@, char());\ntemplate <class T> long ask(...);\n"
    "template <class T> struct asks { static constexpr bool value = sizeof(ask<T>(0)) == 1; };",
    "default": "template <class T, class = decltype(@)> std::true_type ask(int);\n"
    "template <class T> std::false_type ask(long);\ntemplate <class T> using asks = decltype(ask<T>(0));",
    "concept": "template <class T> concept Able = requires(T a, T b) { ^; };\n"
    "template <class T> struct asks { static constexpr bool value = Able<T>; };",
    "requires": "template <class T> struct asks { static constexpr bool value = requires(T a, T b) { { ^ }; }; };",
}
USES = ("bool b = asks<V>::value;", "using B = std::conditional_t<asks<V>::value, A, C>;", "S<asks<const V&>> s;")


def reported(source: str, tables: Tables) -> list[int]:
    found = convert_source(source.encode(), "a.cu", Context(tables)).diagnostics
    return [each.line for each in found if each.code == "HP135"]


def asking(question: str, operation: str) -> str:
    operands = operation.replace("V", "std::declval<T>()")
    first, _, second = operation.partition(" ")
    named = f"{first} {second}".replace("V", "a", 1).replace("V", "b", 1)
    return QUESTIONS[question].replace("@", operands).replace("^", named)


@pytest.mark.parametrize("question", QUESTIONS)
def test_all_questions_about_all_operations(question: str, tables: Tables) -> None:
    for operation, use in itertools.product(OPERATIONS, USES):
        template = asking(question, operation)
        for name, found in (("float4", True), ("uchar2", True), ("float", False), ("dim3", False), ("Vec4", False)):
            source = f"{template}\n{use.replace('V', name)}\n"
            assert bool(reported(source, tables)) is found, source


TRAITS = [
    ("std::is_convertible<float, float4>::value", True),
    ("std::is_convertible_v<float4, float4>", False),
    ("std::is_convertible_v<float4, float>", False),
    ("std::is_constructible<float2, float, float>::value", True),
    ("std::is_constructible_v<float2>", False),
    ("std::is_constructible_v<float2, const float2&>", False),
    ("std::is_assignable_v<int2&, int>", True),
    ("std::is_assignable_v<int2&, int2>", False),
    ("std::is_invocable_v<std::plus<>, float2, float2>", True),
    ("std::is_invocable_v<F, float2>", False),
    ("std::equality_comparable<int4>", True),
    ("std::equality_comparable<int>", False),
    ("std::is_copy_constructible_v<float4>", False),
]


@pytest.mark.parametrize(("trait", "found"), TRAITS)
def test_traits_of_the_standard_library(trait: str, found: bool, tables: Tables) -> None:
    assert bool(reported(f"bool b = {trait};", tables)) is found


_RANKED = """\
template <class T> auto sum(T a, T b, int) -> decltype(a + b) { return a + b; }
template <class T> T sum(T a, T b, long) { return a; }
"""


@pytest.mark.parametrize(
    ("use", "found"),
    [
        ("float2 f(float2 a, float2 b) { return sum(a, b, 0); }", True),
        ("float2 f() { float2 a{1, 2}; return sum(a, a, 0); }", True),
        ("int f(float2 v, int a, int b) { return sum(a, b, 0); }", False),
        ("int f(float2 v) { return sum(v.x, v.y, 0); }", False),
    ],
)
def test_overloads_for_what_has_operators(use: str, found: bool, tables: Tables) -> None:
    assert bool(reported(_RANKED + use, tables)) is found


@pytest.mark.parametrize(
    "source",
    [
        '#include "helper_math.h"\n' + asking("void_t", "V + V") + "\nbool b = asks<float4>::value;",
        "float4 operator+(float4 a, float4 b);\n" + asking("void_t", "V + V") + "\nbool b = asks<float4>::value;",
        "#include <hip/hip_runtime.h>\n" + asking("void_t", "V + V") + "\nbool b = asks<float4>::value;",
        "template <class T> struct holds { decltype(T().x) x; }; holds<float4> h;",
        "template <class T> decltype(auto) same(T&& t) { return t; } float4 f(float4 v) { return same(v); }",
        "template <class T> requires std::is_class_v<T> struct S {}; S<float4> s;",
    ],
)
def test_answers_that_do_not_differ(source: str, tables: Tables) -> None:
    assert reported(source, tables) == []


def test_templates_of_included_files(tmp_path: Path) -> None:
    header = "#pragma once\n#include <utility>\n" + asking("void_t", "V + V") + "\n"
    uses = '#include "asks.h"\nbool b = asks<float4>::value;\nbool c = asks<float>::value;\n'
    build(tmp_path, {"asks.h": header, "a.cu": uses, "b.cu": "bool b = asks<float4>::value;\n"})
    report = run(request(Mode.CHECK, tmp_path), lambda done, total: None, convert_source)
    assert [(Path(each.path).name, each.line) for each in report.diagnostics if each.code == "HP135"] == [("a.cu", 2)]
