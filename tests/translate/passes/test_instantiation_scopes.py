"""Explicit instantiations of class templates outside of their namespace."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from hipport.project.request import Mode
from hipport.project.run import run
from hipport.translate.convert import convert_source
from tests.project.fake import build, request

_HEADER = "namespace app { template <class T, int N = 2> class API Box { T v[N]; }; namespace in {\nNESTED }}\n"
_NESTED = "template <template <class> class C, class T = Pair<int, int>>\nstruct Bag final : Base<T> {};"
_USING = "using namespace app;\n"
_COMPILES = "#define API\ntemplate <class> struct Base {}; template <class, class> struct Pair {};\n"


def _converted(folder: Path, source: str, header: str) -> str:
    build(folder / "tree", {"box.h": header, "a.cu": '#include "box.h"\n' + source})
    run(request(Mode.OUTPUT, folder / "tree", folder=str(folder / "out")), lambda done, total: None, convert_source)
    return (folder / "out" / "a.hip").read_text()


def _header(text: str = _HEADER) -> str:
    return "#pragma once\n" + _COMPILES + text.replace("NESTED", _NESTED)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("template class Box<int>;", "template class app::Box<int>;"),
        ("template class API Box<float, 3>;", "template class API app::Box<float, 3>;"),
        ("extern template struct Box <float>;", "extern template struct app::Box <float>;"),
        ("using namespace app::in; template struct Bag<Base>;", "template struct app::in::Bag<Base>;"),
        ("namespace app { using namespace in; template struct Bag<Base>; }", "template struct app::in::Bag<Base>; }"),
    ],
)
def test_gets_its_namespace(tmp_path: Path, source: str, expected: str) -> None:
    out = _converted(tmp_path, _USING + source + "\n", _header())
    assert expected in out
    compiler = shutil.which("clang++-15") or shutil.which("clang++-19")
    if compiler is not None:
        command = [compiler, "-x", "c++", "-std=c++17", "-w", "-fsyntax-only", "-D__HIP_PLATFORM_AMD__", "-"]
        text = _header() + "".join(line for line in out.splitlines(True) if not line.startswith("#"))
        subprocess.run(command, input=text, text=True, check=True)


def test_of_the_same_file(tmp_path: Path) -> None:
    out = _converted(tmp_path, _header() + _USING + "template class Box<int>;\n", "")
    assert "template class app::Box<int>;" in out


@pytest.mark.parametrize(
    ("source", "header"),
    [
        ("namespace app { template class Box<int>; }\n", _HEADER),
        ("template class app::Box<int>;\n", _HEADER),
        ("namespace other { template class Box<int>; }\n", _HEADER),
        ("template class Box<int>;\n", "template <class T> class Box {};\n"),
        ("template class Box<int>;\n", _HEADER + "namespace b { template <class T> class Box; }\n"),
        (
            "template class Box<int>;\n",
            "template <class T> class Box;\nnamespace b { template <class T> class Box; }\n",
        ),
        ("template <class T> class Box<T *> {};\n", _HEADER),
        ("template class Box<int>;\n", "namespace { template <class T> class Box {}; }\n"),
        ("template class Box<int>;\n", "namespace a { struct S { template <class T> class Box {}; }; }\n"),
    ],
)
def test_others_stay(tmp_path: Path, source: str, header: str) -> None:
    assert source in _converted(tmp_path, _USING + source, _header(header))
