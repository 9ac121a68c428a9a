"""`typename` in front of dependent types in expressions, with what an included file says about them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from hipport.project.request import Mode
from hipport.project.run import run
from hipport.translate.convert import convert_source
from tests.project.fake import build, request

_HEADER = """
#pragma once
template <class T> struct Root {
  typedef T Value;
  struct Tile { T v[2]; };
  static const int N = 3;
  T f(T v) { return v; }
  static T g(T v) { return v; }
};
template <class T> struct Reader { typename Root<T>::Value v; typename Root<Root<T>>::Tile t; };
"""
_FRAME = """
template <class B> struct Kernel {{
  using Own = Root<B>;
  static const int N = 2;
  void operator()(B &out, Root<B> r, int x) {{
    out = {};
  }}
}};
template struct Kernel<int>;
"""
_TYPES = [
    ("Root<B>::Value(0)", "typename Root<B>::Value(0)"),
    ("x + Own::Value(x)", "x + typename Own::Value(x)"),
    ("Root<B>::Value() + sizeof(Root<B>::Tile)", "typename Root<B>::Value() + sizeof(typename Root<B>::Tile)"),
    ("alignof( Own::Tile )", "alignof( typename Own::Tile )"),
    (
        "x ? Root<Own>::Value().N : -Root<B>::Value(x)",
        "x ? typename Root<Own>::Value().N : -typename Root<B>::Value(x)",
    ),
]
_OTHERS = [
    "Root<B>::g(Root<B>::N)",
    "sizeof(Root<B>::N) + sizeof(Own)",
    "typename Root<B>::Value(0)",
    "sizeof(typename Root<B>::Tile)",
    "Kernel<B>::N",
]


def _converted(folder: Path, expression: str) -> str:
    build(folder / "tree", {"root.h": _HEADER, "a.cu": '#include "root.h"\n' + _FRAME.format(expression)})
    run(request(Mode.OUTPUT, folder / "tree", folder=str(folder / "out")), lambda done, total: None, convert_source)
    return (folder / "out" / "a.hip").read_text()


@pytest.mark.parametrize(("expression", "expected"), _TYPES)
def test_types_get_it(tmp_path: Path, expression: str, expected: str) -> None:
    out = _converted(tmp_path, expression)
    assert f"out = {expected};" in out
    compiler = shutil.which("clang++-15") or shutil.which("clang++-19")
    if compiler is not None:
        text = _HEADER.replace("#pragma once", "") + "".join(line for line in out.splitlines(True) if line[:1] != "#")
        command = [compiler, "-x", "c++", "-std=c++17", "-fsyntax-only", "-w", "-"]
        subprocess.run(command, input=text, text=True, check=True)


@pytest.mark.parametrize("expression", _OTHERS)
def test_others_stay(tmp_path: Path, expression: str) -> None:
    assert f"out = {expression};" in _converted(tmp_path, expression)


def test_bases_and_definitions_stay(tmp_path: Path) -> None:
    source = """
template <class B> struct Bag : Root<B> { typedef Root<B> Base;
  using Value = typename Base::Value; Bag() : Root<B>::Root() {} };
template <class B> struct Two { typename B::Two t; Two(); };
template <class B> Two<B>::Two() {}
"""
    build(tmp_path / "tree", {"root.h": _HEADER, "a.cu": '#include "root.h"\n' + source})
    run(request(Mode.OUTPUT, tmp_path / "tree", folder=str(tmp_path / "out")), lambda done, total: None, convert_source)
    assert source in (tmp_path / "out" / "a.hip").read_text()
