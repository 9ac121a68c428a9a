"""`hipport check` with a baseline, by the installed command."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.test_check import KEPT, hipport


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/kept.cu").write_text(KEPT)
    return tmp_path


def check(tree: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return hipport("src", "--fail-on", "warning", *options, cwd=tree)


def test_the_least_that_fails(tree: Path) -> None:
    statuses = [hipport("src", "--fail-on", least, cwd=tree).returncode for least in ("error", "warning", "note")]
    assert statuses == [0, 1, 1]


def test_accepted_findings_are_left_out_until_there_are_more(tree: Path) -> None:
    written = check(tree, "--write-baseline", "base.json")
    assert written.returncode == 0 and "base.json: 1 finding accepted" in written.stderr
    assert json.loads((tree / "base.json").read_text())["findings"] == [
        {
            "code": "HP201",
            "path": "src/kept.cu",
            "line": "unsigned odd = __ballot_sync(0xffffffff, out[threadIdx.x % warpSize]);",
            "count": 1,
        }
    ]
    (tree / "src/kept.cu").write_text("\n\n" + KEPT.replace("  unsigned", "      unsigned"))
    done = check(tree, "--baseline", "base.json", "--report", "report.sarif")
    assert done.returncode == 0 and "HP201" not in done.stderr
    assert json.loads((tree / "report.sarif").read_text())["runs"][0]["results"] == []
    (tree / "src/kept.cu").write_text(KEPT + KEPT.replace("void k", "void l"))
    done = check(tree, "--baseline", "base.json")
    assert done.returncode == 1 and "1 warning" in done.stderr
    (tree / "src/kept.cu").write_text("")
    done = check(tree, "--baseline", "base.json")
    assert done.returncode == 0 and "base.json: 1 accepted finding no longer present" in done.stderr
    check(tree, "--write-baseline", "base.json")
    assert json.loads((tree / "base.json").read_text())["findings"] == []


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["--baseline", "none.json"], 2, "cannot read the baseline 'none.json'"),
        (["--baseline", "src/kept.cu"], 1, "src/kept.cu is not a baseline that hipport wrote"),
        (["--write-baseline", "no/where.json"], 0, "no/where.json: 1 finding accepted"),
        (["--write-baseline", "src"], 1, "cannot read the baseline 'src'"),
        (["--baseline", "a", "--write-baseline", "b"], 2, "cannot be combined"),
    ],
)
def test_files_that_are_none(tree: Path, options: list[str], status: int, message: str) -> None:
    done = check(tree, *options)
    assert done.returncode == status and message in done.stderr and "Traceback" not in done.stderr
