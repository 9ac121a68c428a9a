"""`hipport explain`."""

from __future__ import annotations

import subprocess
import sys


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hipport", "explain", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_code_shows_its_page() -> None:
    done = run("hp104")
    assert done.returncode == 0
    assert done.stdout.startswith("HP104: an `#if` asks for")
    assert "What to do" in done.stdout


def test_without_a_code_all_are_listed() -> None:
    lines = run().stdout.splitlines()
    assert any(line.startswith("HP101  ") for line in lines)
    assert any(line.startswith("HP901  ") for line in lines)


def test_an_unknown_code_is_wrong_use() -> None:
    for wrong in ("HP999", "../README", "HP101.md"):
        done = run(wrong)
        assert (done.returncode, done.stdout) == (2, "")
        assert "is not a hipport diagnostic" in done.stderr
