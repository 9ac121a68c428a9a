"""The measuring of trees draws the same units each time, and finds what hipport reported about an error."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from scripts.measure_corpora.errors import errors
from scripts.measure_corpora.findings import Findings, findings, lines_about
from scripts.measure_corpora.results import Error, Measured, Unit, read
from scripts.measure_corpora.table import table
from scripts.measure_corpora.translation import Translation, words_for
from scripts.measure_corpora.units import asks_for_macro, configured, drawn
from scripts.port_corpus import read_tree

SOURCE = "int a;\ncudaOld();\nint b;\nint c;\n"
TARGET = "#include <hip/hip_runtime.h>\nint a;\nhipOld();\nint b;\nint c;\n"


@pytest.fixture
def translation(tmp_path: Path) -> Translation:
    """Return a translation of one file, in whose second line hipport reported `cudaOld`."""
    (tmp_path / "tree").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "tree/a.cu").write_text(SOURCE)
    (tmp_path / "out/a.hip").write_text(TARGET)
    findings = Findings({(str(tmp_path / "tree/a.cu"), 2): "HP101"}, {"old": "HP101"})
    origins = {tmp_path / "out/a.hip": tmp_path / "tree/a.cu"}
    return Translation(tmp_path / "tree", tmp_path / "out", origins, findings, 1.0)


def places(output: str, translation: Translation) -> list[tuple[int, str]]:
    found = errors(output.replace("OUT", str(translation.out)), translation)
    return [(error.line, error.finding) for error in found]


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("OUT/a.hip:3:1: error: something", [(3, "HP101")]),
        ("OUT/a.hip:4:1: error: something", [(4, "")]),
        ("OUT/a.hip:5:1: error: no member named 'hipOld' in namespace 'x'", [(5, "HP101")]),
        ("/usr/include/x.h:5:1: error: no\nOUT/a.hip:3:1: note: in instantiation of", [(5, "HP101")]),
        ("In file included from OUT/a.hip:3:\n/usr/include/x.h:5:1: error: no", [(5, "HP101")]),
        ("OUT/a.hip:4:1: error: one\nOUT/a.hip:4:1: error: one\nOUT/a.hip:3:1: error: two", [(4, ""), (3, "HP101")]),
        ("OUT/a.hip:5:1: error: redefinition of 'old_name'", [(5, "")]),
    ],
)
def test_an_error_is_reported_by_place_or_by_name(
    output: str, expected: list[tuple[int, str]], translation: Translation
) -> None:
    assert places(output, translation) == expected


def test_the_word_cuda_in_a_message_names_nothing(tmp_path: Path) -> None:
    message = "the condition asks for CUDA 13 or CUDA_VERSION, which HIP lacks"
    found = {"severity": "warning", "path": str(tmp_path / "a.cu"), "line": 1, "column": 1, "code": "HP104"}
    names = findings([{**found, "message": message}]).names
    assert "" not in names
    assert names["version"] == "HP104"


def test_an_error_of_the_project_asks_for_a_macro(translation: Translation) -> None:
    (translation.out / "b.hip").write_text('int a;\n  #  error "set by CMake"\n// #error\n')
    found = [asks_for_macro(Error("b.hip", line, ""), translation) for line in (1, 2, 3, 4)]
    assert found == [False, True, False, False]
    assert not asks_for_macro(Error("b.hip", 2, "", "HP101"), translation)


def test_notes_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(SOURCE)
    place = {"path": str(tmp_path / "a.cu"), "line": 2, "column": 1, "code": "HP205", "message": "cudaOld"}
    assert findings([{**place, "severity": "note"}]) == Findings({}, {})
    found = findings([{**place, "severity": "warning"}])
    assert (found.places, dict(found.names)) == ({(str(tmp_path / "a.cu"), 2): "HP205"}, {"old": "HP205"})


def test_more_units_include_those_of_fewer(tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / f"{number}.cu").write_text("")
    few, many = drawn(tmp_path, 3, 19), drawn(tmp_path, 7, 19)
    assert few[0] == many[0] == 9
    assert few[1] == many[1][:3] and len(many[1]) == 7
    assert few[1] != drawn(tmp_path, 3, 20)[1]


def test_a_header_that_cmake_writes(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    template = "#cmakedefine01 A\n#cmakedefine B 1\n#define C @C@\n@CUDA_@#define D\n@E_@ #define E\n"
    (tmp_path / "src/config.h.in").write_text(template)
    folder = configured(read_tree(tmp_path), "own/config.h", tmp_path / "src/a.hip")
    assert folder is not None
    assert (
        folder / "own/config.h"
    ).read_text() == "#define A 0\n/* #undef B */\n#define C 0\n#define D\n// #define E\n"
    assert configured(read_tree(tmp_path), "other.h", tmp_path / "src/a.hip") is None


def test_all_errors_count_once_by_their_names() -> None:
    errors = [
        Error("a.hip", 1, "use of undeclared identifier 'x'", "HP101"),
        Error("a.hip", 2, "use of undeclared identifier 'x'"),
        Error("a.hip", 3, "no member named 'y' in 'z'"),
        Error("b.hip", 3, "no member named 'y' in 'z'"),
        Error("b.hip", 4, "expected ';'"),
    ]
    units = [Unit("a.cu", "fails reported", errors[:3]), Unit("b.cu", "fails unreported", errors[3:])]
    left_out = Unit("c.cu", "fails in CUDA too", [Error("c.hip", 1, "unknown type name 'w'")])
    measured = Measured("tree", 3, 1.0, 1.0, [*units, left_out])
    assert (measured.errors(reported=True), measured.errors(reported=False)) == (1, 2)


def test_options_for_one_tree() -> None:
    texts = ["a=--torch 2.6", "b=-DX", "a=-DY=1"]
    assert words_for(texts, Path("/t/a")) == ["--torch", "2.6", "-DY=1"]


def test_table(tmp_path: Path) -> None:
    before = [Unit("a.cu", "fails unreported", [Error("a.hip", 1, "no")]), Unit("b.cu", "needs a library")]
    after = [Unit("a.cu", "compiles"), Unit("b.cu", "needs a library")]
    runs = [[Measured("tree", 5, 3.0, 1.0, results)] for results in (before, after)]
    assert table(runs)[2:] == [
        "| tree | 5 | 2 | 1 | 0 | 1 | 0 | 0 | 1 | 0 | 0 | 0 | 1 | 0 | 3.0 | 3.0 |",
        "| all | 5 | 2 | 1 | 0 | 1 | 0 | 0 | 1 | 0 | 0 | 0 | 1 | 0 | 3 |  |",
    ]
    (tmp_path / "x.json").write_text(json.dumps([asdict(tree) for tree in runs[0]]))
    assert read(tmp_path / "x.json") == runs[0]


def test_findings_about_assembly_cover_the_statement() -> None:
    lines = [
        "void f() {",
        'asm("a;"',
        '    "b (c);"',
        '    : "=r"(d) : "f"(e));',
        "g(); }",
        "M \\",
        '(asm("a" : "f"(e)); \\',
    ]
    assert [*lines_about("HP302", lines, 2)] == [2, 3, 4]
    assert [*lines_about("HP302", lines, 7)] == [7]
    assert [*lines_about("HP301", lines, 5)] == [5]
    assert [*lines_about("HP101", lines, 2)] == [2]
    assert [*lines_about("HP118", lines, 2)] == [1, 2, 3, 4, 5, 6, 7]


def test_a_finding_about_a_condition_is_about_its_branch() -> None:
    lines = ["#ifdef A", "#if B", "int b;", "#if C", "#else", "#endif", "int c;", "#else", "int d;", "#endif", "#endif"]
    assert [*lines_about("HP137", lines, 2)] == [2, 3, 4, 5, 6, 7, 8]
    assert [*lines_about("HP137", lines, 4)] == [4, 5]
    assert [*lines_about("HP137", ["#if A", "int a;"], 1)] == [1]
