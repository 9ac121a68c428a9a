"""Function templates that a header declares without `static`."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.project.request import Mode
from hipport.project.run import run
from hipport.translate.convert import convert_source
from tests.project.fake import build, request

_HEADER = """#pragma once
template <bool, bool> int copy(int n);
template <class T> static int own(T n);
template <class T> inline int defined(T n) { return 0; }
int plain(int n);
struct Box { template <class T> int get(T n); };
"""


def _converted(folder: Path, source: str) -> str:
    build(folder / "tree", {"a.h": _HEADER, "a.cu": source})
    run(request(Mode.OUTPUT, folder / "tree", folder=str(folder / "out")), lambda done, total: None, convert_source)
    return (folder / "out" / "a.hip").read_text()


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        (
            "template <bool, bool> static int copy(int n) { return n; }",
            "template <bool, bool> int copy(int n) { return n; }",
        ),
        (
            "template <bool, bool> static inline int copy(int n) { return n; }",
            "template <bool, bool> inline int copy(int n) { return n; }",
        ),
        ("template <bool, bool> static int copy(long n) { return n; }", ""),
        ("template <class T> static int own(T n) { return n; }", ""),
        ("template <class T> static int defined(T* n) { return 0; }", ""),
        ("template <class T> static int get(T n) { return n; }", ""),
        ("static int plain(int n) { return n; }", ""),
        ("namespace app { template <bool, bool> static int copy(int n) { return n; } }", ""),
    ],
)
def test_the_definition_loses_the_word(tmp_path: Path, definition: str, expected: str) -> None:
    assert f"\n{expected or definition}\n" in _converted(tmp_path, f'#include "a.h"\n{definition}\n')


def test_a_declaration_of_the_same_file_counts(tmp_path: Path) -> None:
    source = "template <class T> int f(T n);\ntemplate <class T> static int f(T n) { return n; }\n"
    assert "\ntemplate <class T> int f(T n) { return n; }\n" in _converted(tmp_path, source)


def test_without_the_header_it_stays(tmp_path: Path) -> None:
    source = "\ntemplate <bool, bool> static int copy(int n) { return n; }\n"
    assert source in _converted(tmp_path, source)


@pytest.mark.parametrize(
    "head",
    [
        "template <class T, class U = decltype(T{})>",
        "template <class T, int N = int{}> inline",
        "template <class T> requires requires(T t) { t.f(); }",
        "struct A { int a; }; template <class T> inline",
        "namespace n { int a; } template <class T>\n#ifdef A\n__device__\n#endif\n",
    ],
)
def test_braces_in_front_do_not_hide_the_word(tmp_path: Path, head: str) -> None:
    source = f"template <class T> int f(T* p);\n{head} static int f(T* p) {{ return 0; }}\n"
    assert "static" not in _converted(tmp_path, source)
