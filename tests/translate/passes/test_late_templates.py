"""Function templates that an explicit instantiation in front of their definition needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.project.request import Mode
from hipport.project.run import run
from hipport.translate.convert import convert_source
from tests.project.fake import build, request

_CALLER = "template <class T> void run(Box<T> b) { halo(b); }\n"
_INSTANTIATION = "template void run<float>(Box<float> b);\n"
_DEFINITION = "template <class T> void halo(Box<T> b) { b.fill(); }\n"
_DECLARATION = "template <class T> void halo(Box<T> b);\n"


def _converted(folder: Path, source: str, header: str = "template <class T> struct Box { void fill(); };\n") -> str:
    build(folder / "tree", {"box.h": header, "a.cu": '#include "box.h"\n' + source})
    run(request(Mode.OUTPUT, folder / "tree", folder=str(folder / "out")), lambda done, total: None, convert_source)
    return (folder / "out" / "a.hip").read_text()


def test_a_declaration_comes_first(tmp_path: Path) -> None:
    out = _converted(tmp_path, _CALLER + _INSTANTIATION + _DEFINITION)
    assert _CALLER + _DECLARATION + _INSTANTIATION + _DEFINITION in out


@pytest.mark.parametrize(
    "source",
    [
        _CALLER + _DEFINITION + _INSTANTIATION,
        _DECLARATION + _CALLER + _INSTANTIATION + _DEFINITION,
        _INSTANTIATION + _CALLER + _DEFINITION,
        _CALLER.replace("halo(b)", "b.halo()") + _INSTANTIATION + _DEFINITION,
        _CALLER.replace("halo(b)", "other::halo(b)") + _INSTANTIATION + _DEFINITION,
        _CALLER + _INSTANTIATION + "template <class T> void halo(Box<T> b, int n = 1) { b.fill(); }\n",
        _CALLER + _INSTANTIATION + "struct Late {};\ntemplate <class T> void halo(Late b) {}\n",
        _CALLER + _INSTANTIATION + "namespace app {\n" + _DEFINITION + "}\n",
        _CALLER + _INSTANTIATION + "void halo(Box<float> b) { b.fill(); }\n",
        "void run(Box<float> b) { halo(b); }\n" + _INSTANTIATION + _DEFINITION,
    ],
)
def test_others_stay(tmp_path: Path, source: str) -> None:
    assert source in _converted(tmp_path, source)


def test_a_header_may_declare_it(tmp_path: Path) -> None:
    header = "template <class T> struct Box { void fill(); };\n" + _DECLARATION
    source = _CALLER + _INSTANTIATION + _DEFINITION
    assert source in _converted(tmp_path, source, header)
