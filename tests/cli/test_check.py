"""The installed command `hipport check`."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests import served

ROOT = Path(__file__).parents[2]
KEPT = """__global__ void k(int* out) {
  unsigned odd = __ballot_sync(0xffffffff, out[threadIdx.x % warpSize]);
  out[0] = odd != 0;
}
"""


def hipport(*arguments: str, cwd: Path, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
    done = served.served("check", "--rocm", "7.2", *arguments, cwd=cwd, stdin=stdin, timeout=120)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/kept.cu").write_text(KEPT)
    (tmp_path / "src/plain.cu").write_text("int x;\n")
    return tmp_path


def test_findings_and_summary(tree: Path) -> None:
    done = hipport("src", cwd=tree)
    assert (done.returncode, done.stdout) == (0, "")
    first, *_, last = done.stderr.splitlines()
    assert first.startswith("src/kept.cu:2:12: warning[HP201]: 'odd' has 32 bits")
    assert last == "hipport: 2 sources checked, for ROCm 7.2; 1 warning (1 with a quick fix: --fix)"
    assert (tree / "src/kept.cu").read_text() == KEPT
    assert sorted(path.name for path in (tree / "src").iterdir()) == ["kept.cu", "plain.cu"]


def test_wave_sizes(tree: Path) -> None:
    sure = hipport("src", "--wave-size", "64", cwd=tree)
    assert sure.returncode == 1 and "error[HP201]" in sure.stderr
    silent = hipport("src", "--wave-size", "32", cwd=tree)
    assert (silent.returncode, silent.stderr) == (0, "hipport: 2 sources checked, for ROCm 7.2\n")


def test_fix_changes_the_cuda_source(tree: Path) -> None:
    done = hipport("src", "--fix", cwd=tree)
    assert (done.returncode, done.stderr) == (0, "hipport: 2 sources checked, 1 fixed, for ROCm 7.2\n")
    assert (tree / "src/kept.cu").read_text() == KEPT.replace("unsigned odd", "unsigned long long odd")
    assert hipport("src", "--fix", cwd=tree).stderr == "hipport: 2 sources checked, for ROCm 7.2\n"


def test_report(tree: Path) -> None:
    done = hipport("src", "--report", "out.json", "--max-diagnostics", "1", cwd=tree)
    assert done.returncode == 0
    report = json.loads((tree / "out.json").read_text())
    assert [(found["code"], found["fixable"]) for found in report["diagnostics"]] == [("HP201", True)]
    assert not any(file["changed"] for file in report["files"])


def test_unsupported_names_count(tree: Path) -> None:
    (tree / "src/old.cu").write_text("int f() { return cuLaunchGrid(0, 1, 1); }\n")
    done = hipport("src", cwd=tree)
    assert done.returncode == 1 and "error[HP101]" in done.stderr


def test_standard_input(tree: Path) -> None:
    done = hipport("-", cwd=tree, stdin=KEPT.encode())
    assert (done.returncode, done.stdout) == (0, "")
    assert "stdin.cu:2:12: warning[HP201]" in done.stderr
    assert hipport("-", "--fix", cwd=tree, stdin=KEPT.encode()).returncode == 2


def test_the_documentation_shows_what_happens(tmp_path: Path) -> None:
    text = (ROOT / "docs/check.md").read_text("utf-8")
    (source,) = re.findall(r"```cuda\n(.*?)```", text, re.DOTALL)
    (tmp_path / "sum.cu").write_text(source)
    commands = re.findall(r"\$ hipport check (.*)\n((?:(?!\$ |```).*\n)*)", text)
    assert len(commands) == 3
    for arguments, shown in commands:
        done = hipport(*arguments.replace("--rocm 7.2", "").split(), cwd=tmp_path)
        assert done.stdout + done.stderr == shown, arguments


def test_wrong_use(tree: Path) -> None:
    assert hipport("absent", cwd=tree).returncode == 2
    assert hipport("src", "--wave-size", "48", cwd=tree).returncode == 2
