"""Declarations without sides of functions that another file defines with them.

nvcc 13 compiles each form of `later_side_forms.txt` with a warning (20040-D), and Clang 19 its translation. A form is a
name, a declaration with an `@` where the sides belong, a definition with `{s}` for them, and a use in device code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest

from hipport.mappings.tables import Tables
from hipport.project.request import Mode
from hipport.project.run import run
from hipport.translate.context import Context
from hipport.translate.convert import convert_source
from tests.project.fake import build, request

BOTH = "__host__ __device__"


@dataclass(frozen=True)
class Form:
    """One form, and a use in device code."""

    name: str
    declaration: str
    definition: str
    use: str

    def defined(self, sides: str) -> str:
        """Return the definition for some sides."""
        return self.definition.replace("{s}", sides)


_TABLE = Path(__file__).with_name("later_side_forms.txt").read_text().strip()
FORMS = [Form(*block.splitlines()) for block in _TABLE.split("\n\n")]
LEFT = (
    ("int f(float);", f"{BOTH} int f(int a) {{ return a; }}"),
    ("struct P { int get(); };", f"{BOTH} int P::get() const {{ return 1; }}"),
    ("struct P { int get(); };", f"struct Q {{ int get(); }}; {BOTH} int Q::get() {{ return 1; }}"),
    ("struct P { int get(); };", "int P::get() { return 1; }"),
    ("struct P { __host__ __device__ int get(); };", f"{BOTH} int P::get() {{ return 1; }}"),
    ("namespace a { int f(int); }", f"namespace b {{ {BOTH} int f(int a) {{ return a; }} }}"),
    ("template <class T> struct P { T get(T); };", f"template <class T> {BOTH} T P<T>::get(int j) {{ return j; }}"),
    ("int f(int);", "__device__ int f(int a) { return a; }"),
    ("struct P { friend int f(int); };", f"{BOTH} int f(int a) {{ return a; }}"),
)
"""Near misses: other parameters, classes or namespaces; sides that are there; overloads for devices alone."""
_HOST, _DEVICE = "__host__ ", "__device__ "
_BY_ATTRIBUTES = "__attribute__((host)) __attribute__((device)) "


def _header(tree: dict[str, str | bytes], tmp_path: Path) -> str:
    build(tmp_path / "tree", tree)
    run(request(Mode.OUTPUT, tmp_path / "tree", folder=str(tmp_path / "out")), lambda done, total: None, convert_source)
    return (tmp_path / "out" / "a.h").read_text()


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_a_declaration_gets_the_sides_of_a_part_that_its_header_includes(tmp_path: Path, form: Form) -> None:
    declared = form.declaration.replace("@", "")
    tree: dict[str, str | bytes] = {
        "a.h": f'#pragma once\n{declared}\n#include "a.inl"\n',
        "a.inl": f"{form.defined(BOTH)}\n",
        "u.cu": f'#include "a.h"\n__global__ void k() {{ {form.use} }}\n',
    }
    assert form.declaration.replace("@", _BY_ATTRIBUTES) in _header(tree, tmp_path)


@pytest.mark.parametrize("form", FORMS[::4], ids=lambda form: form.name)
def test_a_declaration_gets_the_sides_of_a_unit_that_includes_its_header(tmp_path: Path, form: Form) -> None:
    declared = form.declaration.replace("@", "")
    tree: dict[str, str | bytes] = {
        "a.h": f"#pragma once\n#define APP_HD __host__ __device__\nAPP_HD int other();\n{declared}\n",
        "u.cu": f'#include "a.h"\n{form.defined("APP_HD")}\n__global__ void k() {{ {form.use} }}\n',
    }
    assert form.declaration.replace("@", "APP_HD ") in _header(tree, tmp_path)


@pytest.mark.parametrize(("declared", "defined"), LEFT)
def test_other_declarations_are_left(tmp_path: Path, declared: str, defined: str) -> None:
    tree: dict[str, str | bytes] = {
        "a.h": f'#pragma once\n{declared}\n#include "a.inl"\n',
        "a.inl": f"{defined}\n",
        "u.cu": '#include "a.h"\n',
    }
    assert f"\n{declared}\n" in _header(tree, tmp_path)


@pytest.mark.parametrize(
    ("declared", "expected", "defined"),
    [
        ("__device__ int f(int);", f"__device__ {_HOST}int f(int);", f"{BOTH} int f(int a) {{ return a; }}"),
        ("__host__ int f(int);", f"__host__ {_DEVICE}int f(int);", f"{BOTH} int f(int a) {{ return a; }}"),
        ("__device__ int f(int);", "__device__ int f(int);", "__host__ int f(int a) { return a; }"),
        ("__device__ int f(int);", "__device__ int f(int);", f"{BOTH} int f(float a) {{ return a; }}"),
        *(
            (f"struct P {{ int i; {own} int get(); }};", f"struct P {{ int i; {own} {added}int get(); }};", definition)
            for own, added, other in (("__device__", _HOST, "__host__"), ("__host__", _DEVICE, "__device__"))
            for definition in (f"{BOTH} int P::get() {{ return i; }}", f"{other} int P::get() {{ return i; }}")
        ),
        (
            "struct P { int i; __device__ operator int(); };",
            f"struct P {{ int i; __device__ {_HOST}operator int(); }};",
            f"{BOTH} P::operator int() {{ return i; }}",
        ),
        (
            "struct P { int i; __device__ operator int(); };",
            "struct P { int i; __device__ operator int(); };",
            f"{BOTH} P::operator long() {{ return i; }}",
        ),
    ],
)
def test_a_declaration_for_one_side_gets_the_other(tmp_path: Path, declared: str, expected: str, defined: str) -> None:
    tree: dict[str, str | bytes] = {
        "a.h": f'#pragma once\n{declared}\n#include "a.inl"\n',
        "a.inl": f"{defined}\n",
        "u.cu": '#include "a.h"\n',
    }
    assert f"\n{expected}\n" in _header(tree, tmp_path)


@pytest.mark.parametrize(
    ("declared", "defined"),
    [
        ("int get() const;", "int P::get() const { return 1; }"),
        ("operator int() const;", "P::operator int() const { return 1; }"),
        ("P();", "P::P() {}"),
        ("bool operator==(int);", "bool P::operator==(int i) { return i; }"),
    ],
)
def test_a_unit_without_sides_gets_those_of_another_that_includes_the_header(
    tmp_path: Path, declared: str, defined: str
) -> None:
    tree: dict[str, str | bytes] = {
        "a.h": f"#pragma once\nstruct P {{\n  {declared}\n  int other();\n}};\n",
        "b.h": '#include "a.h"\n',
        "u.cu": f'#include "a.h"\n{BOTH} {defined}\n',
        "v.cu": f'#include "b.h"\n{defined}\nint P::other() {{ return 2; }}\n',
    }
    assert f"  {_BY_ATTRIBUTES}{declared}\n  int other();\n" in _header(tree, tmp_path)
    assert f"\n{_BY_ATTRIBUTES}{defined}\nint P::other()" in (tmp_path / "out" / "v.hip").read_text()


def test_conversion_functions_of_one_file_get_all_sides(tables: Tables) -> None:
    text = "struct P {\n  operator int() const;\n  operator long() const;\n};\n"
    source = f"{text}__device__ P::operator int() const {{ return 1; }}\n"
    done = convert_source(source.encode(), "a.cuh", Context(tables)).data.decode()
    assert "\n  __device__ operator int() const;\n  operator long() const;\n" in done


def test_macros_are_followed_whose_names_say_nothing(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {
        "def.h": "#pragma once\n#define APP_H __host__\n#define APP_D __device__\n#define APP_ANY APP_H APP_D\n",
        "a.h": '#pragma once\n#include "def.h"\nstruct Box {\n  APP_ANY int left();\n  int get() const;\n};\n'
        '#include "a.inl"\n',
        "a.inl": "APP_ANY int Box::get() const { return 1; }\nAPP_ANY int Box::left() { return 1; }\n",
        "u.cu": '#include "a.h"\n',
    }
    header = _header(tree, tmp_path)
    assert "\n  APP_ANY int get() const;\n" in header
    assert "\n  APP_ANY int left();\n" in header


_WRITTEN = ("", _HOST, _DEVICE, f"{BOTH} ")
_MEMBERS = (
    ("@int get() const;", "@int Box::get() const { return i; }"),
    ("@Box(int);", "@Box::Box(int j) : i(j) {}"),
    ("@Box& operator+=(int);", "@Box& Box::operator+=(int j) { i += j; return *this; }"),
    ("@operator int() const;", "@Box::operator int() const { return i; }"),
    ("@int operator()(int) const;", "@int Box::operator()(int j) const { return i + j; }"),
    ("@static int of(int);", "@int Box::of(int j) { return j; }"),
)
_SIDED = re.compile(r"__(host|device)__|__attribute__\(\((host|device)\)\)")
_DIFFERENT = [each for each in product(_WRITTEN, _WRITTEN, _WRITTEN) if each[1] != each[2] and all(each[1:])]
"""The sides of a declaration and of its definitions in two units."""


def _sides(text: str, before: str) -> set[str]:
    """Return the sides in the line of a name, in front of it."""
    line = next(line for line in text.splitlines() if before in line)
    return {side for match in _SIDED.findall(line.partition(before)[0]) for side in match if side}


@pytest.mark.parametrize("member", _MEMBERS, ids=lambda member: str(member[0]))
@pytest.mark.parametrize("written", _DIFFERENT, ids=lambda written: "-".join(written).replace(" ", ""))
def test_definitions_that_differ_get_the_sides_of_all(
    tmp_path: Path, member: tuple[str, str], written: tuple[str, str, str]
) -> None:
    """A definition for a side in one unit alone is completed, with its declaration, and reported."""
    declared, defined = (text.replace("@", "") for text in member)
    name = re.findall(r"Box::(?:operator )?(?:operator\(\)|[^ (]+)\(", defined)[0]
    tree: dict[str, str | bytes] = {"a.h": f"#pragma once\nstruct Box {{\n  int i;\n  {written[0]}{declared}\n}};\n"}
    for unit, sides in zip("uv", written[1:], strict=True):
        tree[f"{unit}.cu"] = f'#include "a.h"\n{sides}{defined}\n'
    build(tmp_path / "tree", tree)
    whole = request(Mode.OUTPUT, tmp_path / "tree", folder=str(tmp_path / "out"))
    found = run(whole, lambda done, total: None, convert_source)
    header = (tmp_path / "out" / "a.h").read_text()
    assert _sides(header, name.removeprefix("Box::")) == {"host", "device"}
    for unit in "uv":
        text = (tmp_path / "out" / f"{unit}.hip").read_text()
        assert _sides(text, name) == {"host", "device"}
    reported = [Path(each.path).name for each in found.diagnostics if each.code == "HP143"]
    assert reported == [f"{unit}.cu" for unit, sides in zip("uv", written[1:], strict=True) if sides != f"{BOTH} "]


def test_functions_that_are_no_members_and_unknown_macros_decide_nothing(tmp_path: Path) -> None:
    declared = "struct Box {\n  int get() const;\n};\nint f(int);\n"
    tree: dict[str, str | bytes] = {
        "a.h": f"#pragma once\n{declared}",
        "u.cu": '#include "a.h"\n__host__ __device__ int Box::get() const { return 1; }\n'
        "__device__ int f(int i) { return i; }\n",
        "v.cu": '#include "a.h"\nAPP_API int Box::get() const { return 2; }\n__host__ int f(int i) { return i; }\n',
    }
    assert _header(tree, tmp_path).endswith("int f(int);\n")


def test_a_unit_that_defines_for_the_host_what_another_defines_for_devices_is_reported(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {
        "a.h": "#pragma once\nstruct Box {\n  int get() const;\n};\n",
        "u.cu": '#include "a.h"\n__device__ int Box::get() const { return 1; }\n',
        "v.cu": '#include "a.h"\nint Box::get() const { return 2; }\n',
    }
    build(tmp_path / "tree", tree)
    whole = request(Mode.OUTPUT, tmp_path / "tree", folder=str(tmp_path / "out"))
    found = run(whole, lambda done, total: None, convert_source)
    assert [(Path(each.path).name, each.line) for each in found.diagnostics if each.code == "HP143"] == [("v.cu", 2)]


def test_definitions_that_differ_in_spelling_alone_decide(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {
        "a.h": "#pragma once\n#define APP_HD __host__ __device__\nstruct Box {\n  int get() const;\n};\n",
        "u.cu": '#include "a.h"\n__host__ __device__ int Box::get() const { return 1; }\n',
        "v.cu": '#include "a.h"\nAPP_HD int Box::get() const { return 2; }\n',
    }
    assert "\n  APP_HD int get() const;\n" in _header(tree, tmp_path)
