"""Golden cases for build files: `fixtures/build_pairs/`, by the rules of `tests/test_pairs.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.buildfiles.context import BuildContext
from hipport.buildfiles.convert import check_build_file, convert_build_file
from hipport.buildfiles.tables import load_build_tables
from hipport.translate.conversion import Conversion
from tests.test_pairs import findings, write

PAIRS = Path(__file__).parents[2] / "fixtures" / "build_pairs"
NAMES = {
    ".cmake": "CMakeLists.txt",
    ".mk": "Makefile",
    ".py": "setup.py",
    ".meson": "meson.build",
    ".bazel": "BUILD.bazel",
    ".ac": "configure.ac",
    ".am": "Makefile.am",
    ".sh": "build.sh",
}
"""A case is called what it is about; what reads it is told by its suffix."""
CASES = sorted(path for path in PAIRS.rglob("*.*") if path.suffix in NAMES)


def context() -> BuildContext:
    renamed = {f"{name}.cu": f"{name}.hip" for name in ("a", "b", "main", "filter", "noise", "scale")}
    return BuildContext(
        load_build_tables(),
        ("gfx90a", "gfx1030"),
        renamed=renamed,
        libraries=("cublas", "curand"),
        architectures=frozenset({"GPU_ARCHS", "LOWEST", "MINE", "arch", "GIVEN"}),
    )


def translate(case: Path, data: bytes) -> Conversion:
    return convert_build_file(data, NAMES[case.suffix], context())


def test_there_are_cases() -> None:
    assert {case.suffix for case in CASES} == set(NAMES) and len(CASES) > 12


@pytest.mark.parametrize("case", CASES, ids=lambda path: str(path.relative_to(PAIRS)))
def test_pair(case: Path, request: pytest.FixtureRequest) -> None:
    data = case.read_bytes()
    conversion = translate(case, data)
    expected, listed = case.with_name(case.name + ".out"), case.with_name(case.name + ".findings")
    if request.config.getoption("--update-pairs"):
        write(expected, conversion.data if conversion.data != data else None)
        write(listed, findings(conversion).encode() or None)
    assert conversion.data == (expected.read_bytes() if expected.exists() else data)
    assert findings(conversion) == (listed.read_text() if listed.exists() else "")


@pytest.mark.parametrize("case", CASES, ids=lambda path: str(path.relative_to(PAIRS)))
def test_second_pass_changes_nothing(case: Path) -> None:
    once = translate(case, case.read_bytes()).data
    assert translate(case, once).data == once


@pytest.mark.parametrize("case", CASES, ids=lambda path: str(path.relative_to(PAIRS)))
def test_lines_of_windows_stay(case: Path) -> None:
    data = case.read_bytes()
    conversion, plain = translate(case, data.replace(b"\n", b"\r\n")), translate(case, data)
    assert conversion.data == plain.data.replace(b"\n", b"\r\n")
    assert [found.code for found in conversion.diagnostics] == [found.code for found in plain.diagnostics]


@pytest.mark.parametrize("case", CASES, ids=lambda path: str(path.relative_to(PAIRS)))
def test_check_finds_the_same_and_changes_nothing(case: Path) -> None:
    data = case.read_bytes()
    checked = check_build_file(data, NAMES[case.suffix], context())
    assert (checked.data, checked.diagnostics) == (data, translate(case, data).diagnostics)


@pytest.mark.parametrize("case", [case for case in CASES if "near_misses" in case.name], ids=lambda path: path.name)
def test_near_misses_stay(case: Path) -> None:
    assert translate(case, case.read_bytes()).data == case.read_bytes()
