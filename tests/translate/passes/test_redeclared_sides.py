"""Sides of functions that a header declares and another file defines."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.mappings.tables import Tables
from hipport.project.request import Mode
from hipport.project.run import run
from hipport.translate.context import Context
from hipport.translate.convert import convert_source
from tests.project.fake import build, request

_HEADER = """#pragma once
#define BOX_HD __host__ __device__
namespace app {
struct Box {
  BOX_HD float get(float scale) const;
  __device__ void set(float* from, int n = 3);
  float host(float x);
  BOX_HD float overloaded(int x);
  __device__ float defined(float x) { return x; }
};
__device__ float twice(float x);
}
"""


@pytest.mark.parametrize(
    ("definition", "sides"),
    [
        ("float Box::get(float s) const { return s; }", "BOX_HD "),
        ("void Box::set(float* from, int n) {}", "__device__ "),
        ("inline float twice(float x) { return x; }", "__device__ "),
        ("float Box::get(float s) { return s; }", ""),
        ("float Box::host(float x) { return x; }", ""),
        ("float Box::overloaded(float x) { return x; }", ""),
        ("float Box::defined(float x) { return x; }", ""),
        ("float thrice(float x) { return x; }", ""),
        ("float twice(float x);", ""),
        ("struct Other { float get(float s) const { return s; } };", ""),
    ],
)
def test_a_definition_in_another_file_gets_them(tmp_path: Path, definition: str, sides: str) -> None:
    between = '#pragma once\n#include "box.h"\n'
    source = f'#include "between.h"\nnamespace app {{\n{definition}\n}}\n'
    build(tmp_path / "tree", {"box.h": _HEADER, "between.h": between, "a.cu": source})
    run(request(Mode.OUTPUT, tmp_path / "tree", folder=str(tmp_path / "out")), lambda done, total: None, convert_source)
    assert f"\n{sides}{definition}\n" in (tmp_path / "out" / "a.hip").read_text()


@pytest.mark.parametrize(
    ("declared", "defined", "expected"),
    [
        ("__host__ __device__ float get(float x) const;", "__device__ float Box::get(float x) const", "__host__ "),
        ("__device__ __host__ float get(float x) const;", "__host__ float Box::get(float x) const", "__device__ "),
        ("__device__ float get(float x) const;", "__device__ float Box::get(float x) const", ""),
        ("__device__ float get(float x) const;", "__host__ float Box::get(float x) const", "__device__ "),
        ("BOX_HD float get(float x) const;", "__device__ float Box::get(float x) const", "BOX_HD "),
        ("BOX_HD float get(float x) const;", "BOX_DEVICE float Box::get(float x) const", "BOX_HD "),
        ("__box_both float get(float x) const;", "__device__ float Box::get(float x) const", "__box_both "),
        ("BOX_DEVICE float get(float x) const;", "__device__ float Box::get(float x) const", ""),
        ("BOX_DEVICE_FUNC float get(float x) const;", "__device__ float Box::get(float x) const", ""),
        ("BOX_DEVICE float get(float x) const;", "__host__ float Box::get(float x) const", "BOX_DEVICE "),
        ("BOX_HD operator float() const;", "Box::operator float() const", "BOX_HD "),
        ("BOX_HD operator float() const;", "__device__ Box::operator float () const", "BOX_HD "),
        ("BOX_HD operator float() const;", "Box::operator float()", ""),
        ("BOX_HD operator float() const;", "Box::operator int() const", ""),
        ("BOX_HD explicit operator const float*();", "inline Box::operator const float *()", "BOX_HD "),
    ],
)
def test_a_definition_with_one_word_gets_the_other(tmp_path: Path, declared: str, defined: str, expected: str) -> None:
    header = f"#define BOX_HD __host__ __device__\nstruct Box {{ {declared} }};\n"
    build(tmp_path / "tree", {"box.h": header, "a.cu": f'#include "box.h"\n{defined} {{ return x; }}\n'})
    run(request(Mode.OUTPUT, tmp_path / "tree", folder=str(tmp_path / "out")), lambda done, total: None, convert_source)
    assert f"\n{expected}{defined} {{" in (tmp_path / "out" / "a.hip").read_text()


def test_two_declarations_that_differ_decide_nothing(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a.h": "__device__ float twice(float x);\n",
        "b.h": "__host__ __device__ float twice(float x);\n",
        "a.cu": '#include "a.h"\n#include "b.h"\nfloat twice(float x) { return x; }\n',
    }
    build(tmp_path / "tree", files)
    run(request(Mode.OUTPUT, tmp_path / "tree", folder=str(tmp_path / "out")), lambda done, total: None, convert_source)
    assert "\nfloat twice(float x) {" in (tmp_path / "out" / "a.hip").read_text()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            "template <> struct Index<1> { __host__ __device__ int get(); };",
            "template <> struct Index<2> { __device__ int get(); };",
        ),
        (
            "template <> struct Index<1> { __host__ __device__ int get(); };",
            "template <> __device__ int Index<2>::get() { return 2; }",
        ),
        (
            "template <class T> struct Index<T*> { __host__ int get(); };",
            "template <class T> __device__ int Index<T&>::get() { return 2; }",
        ),
        (
            "template <int D> struct Index { __host__ int get(); };",
            "template <> __device__ int Index<2>::get() { return 2; }",
        ),
    ],
)
def test_members_of_other_specializations_are_other_functions(first: str, second: str, tables: Tables) -> None:
    source = f"{first}\n{second}\n"
    assert convert_source(source.encode(), "a.cuh", Context(tables)).data.decode().endswith(f"\n{source}")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            "template <> struct Index<1> { __host__ __device__ int get(); };",
            "__device__ int Index<1>::get() { return 2; }",
        ),
        (
            "template <class T> struct Index<T, 1> { __host__ __device__ int get(); };",
            "template <class T> __device__ int Index<T,1>::get() { return 2; }",
        ),
        (
            "template <class T> struct Index { __host__ __device__ int get(); };",
            "template <class S> __device__ int Index<S>::get() { return 2; }",
        ),
        (
            "template <class... T> struct Index { __host__ __device__ int get(); };",
            "template <class... T> __device__ int Index<T...>::get() { return 2; }",
        ),
    ],
)
def test_members_of_one_specialization_are_one_function(first: str, second: str, tables: Tables) -> None:
    source = f"{first}\n{second}\n"
    expected = source.replace("__device__ int Index", "__host__ __device__ int Index")
    assert convert_source(source.encode(), "a.cuh", Context(tables)).data.decode().endswith(f"\n{expected}")


MEMBERS = (
    ("Box(const {0}& = {0}(), {1}* = nullptr);", "Box<{h}>::Box(const {0}& first, {1}* second)"),
    ("Box(Box<{h}>&& other);", "Box<{h}>::Box(Box<{h}>&& other)"),
    ("void swap(Box<{h}>&);", "void Box<{h}>::swap(Box<{h}>& other)"),
    ("{0} at({2} index = {2}()) const;", "{0} Box<{h}>::at({2} i) const"),
    ("Box& operator=(const Box<{h}>& other);", "Box<{h}>& Box<{h}>::operator=(const Box<{h}>& o)"),
    ("bool operator()({0} a, {1} b) const;", "bool Box<{h}>::operator()({0} x, {1} y) const"),
    (
        "template <typename {3}> void fill({3} first, {0} with);",
        "template <typename {3}> void Box<{h}>::fill({3} a, {0} b)",
    ),
)
"""Declarations of members, and their definitions; the numbers stand for the names of template parameters."""
NAMES = (("Type", "Sequence", "N", "Iterator"), ("T", "S", "Count", "It"), ("Sequence", "Type", "M", "T"))


@pytest.mark.parametrize(("declaration", "definition"), MEMBERS)
@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("sides", ["__host__ __device__", "__device__", "BOX_HD"])
def test_template_parameters_may_have_other_names(
    declaration: str, definition: str, names: tuple[str, ...], sides: str, tables: Tables
) -> None:
    first = NAMES[0]
    declared = declaration.format(*first, h=", ".join(first[:3]))
    at = declared.index("> ") + 2 if declared.startswith("template") else 0
    head, behind = (
        "template <typename {0}, typename {1}, typename {2}>",
        definition.format(*names, h=", ".join(names[:3])),
    )
    box = f"{head.format(*first)} struct Box {{ {declared[:at]}{sides} {declared[at:]} }};\n"
    start = behind.index("> ") + 2 if behind.startswith("template") else 0
    source = f"#define BOX_HD __host__ __device__\n{box}{head.format(*names)} {behind} {{}}\n"
    expected = f"{head.format(*names)} {behind[:start]}{sides} {behind[start:]} {{}}\n"
    assert convert_source(source.encode(), "a.cuh", Context(tables)).data.decode().endswith(expected)


def test_other_parameters_are_other_functions(tables: Tables) -> None:
    source = (
        "template <typename T, typename S> struct Box { __device__ void set(const T& t, int n = 1); };\n"
        "template <typename S, typename T> void Box<S, T>::set(const T& t, int n) {}\n"
    )
    assert convert_source(source.encode(), "a.cuh", Context(tables)).data.decode().endswith(source)


@pytest.mark.parametrize("suffix", [".hpp", ".h", ".inl", ".cuh"])
@pytest.mark.parametrize(
    ("declared", "defined"),
    [
        ("Row();", "Row<T>::Row() {}"),
        ("T get(int i) const;", "T Row<T>::get(int i) const { return i; }"),
        ("Row& operator=(const Row& other);", "Row<T>& Row<T>::operator=(const Row& other) { return *this; }"),
        ("T operator()(int i);", "T Row<T>::operator()(int i) { return i; }"),
        ("bool operator == (const Row& o) const;", "bool Row<T>::operator==(const Row& o) const { return true; }"),
    ],
)
def test_members_are_defined_in_a_file_that_the_class_includes(
    tmp_path: Path, suffix: str, declared: str, defined: str
) -> None:
    head = f'template <class T> struct Row {{ APP_HOST_DEVICE {declared} }};\n#include "rows{suffix}"\n'
    files: dict[str, str | bytes] = {
        "row.h": "#define APP_HOST_DEVICE __host__ __device__\n" + head,
        f"rows{suffix}": f"template <class T>\n{defined}\n",
        "a.cu": '#include "row.h"\n__global__ void k() {}\n',
    }
    build(tmp_path / "tree", files)
    run(request(Mode.OUTPUT, tmp_path / "tree", folder=str(tmp_path / "out")), lambda done, total: None, convert_source)
    assert f"\nAPP_HOST_DEVICE {defined}" in (tmp_path / "out" / f"rows{suffix}").read_text()
