"""The trees in `fixtures/semantic/`, converted with libclang (with and without CUDA's headers) and by syntax.

`pytest --update-pairs` writes what comes out with CUDA's headers: read the diff before you commit it.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hipport.project.request import Semantic
from tests.semantic.trees import ROOT, contents, convert, findings

TREES = ROOT / "fixtures" / "semantic"
CASES = sorted(path.parent.name for path in TREES.glob("*/in"))
AS_BY_SYNTAX = {"near_misses", "parse_error", "missing_header", "conflict", "using_declaration", "brought_in"} | {
    "member_functions"
}
"""Trees for which libclang must not make a difference; for all others it must."""
NEEDS_HEADERS = {"auto_members"}
"""Headers made of the tables do not know the members of types."""


def test_there_are_cases() -> None:
    assert len(CASES) >= 10 and set(CASES) >= AS_BY_SYNTAX | NEEDS_HEADERS


@pytest.mark.parametrize("case", CASES)
def test_tree(case: str, cuda: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    report = convert(TREES / case / "in", tmp_path / "out", Semantic())
    found = [line for line in findings(report) if "HP506" in line or "HP507" in line]
    if request.config.getoption("--update-pairs") and cuda == "headers":
        shutil.rmtree(TREES / case / "out", ignore_errors=True)
        shutil.copytree(tmp_path / "out", TREES / case / "out", ignore=shutil.ignore_patterns(".hipport"))
        (TREES / case / "findings.txt").write_text("".join(f"{line}\n" for line in found))
    expected = (TREES / case / "findings.txt").read_text().splitlines()
    if cuda == "headers":
        assert found == expected
    if cuda == "stubs" and case in NEEDS_HEADERS:
        assert any("HP506: libclang cannot parse" in line for line in found)
    else:
        assert contents(tmp_path / "out") == contents(TREES / case / "out")


@pytest.mark.parametrize("case", CASES)
def test_syntax_alone_does_otherwise(case: str, tmp_path: Path) -> None:
    convert(TREES / case / "in", tmp_path / "out", None)
    assert (contents(tmp_path / "out") == contents(TREES / case / "out")) == (case in AS_BY_SYNTAX)
