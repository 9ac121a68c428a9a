"""`hipport explain`."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from hipport.cli.explain import _readable


def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hipport", "explain", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **variables})


def test_a_code_shows_its_page() -> None:
    done = run("hp104")
    assert done.returncode == 0
    assert done.stdout.startswith("HP104: an #if asks for")
    assert "What to do" in done.stdout


def test_without_a_code_all_are_listed() -> None:
    lines = run().stdout.splitlines()
    assert any(line.startswith("HP101  ") for line in lines)
    assert any(line.startswith("HP901  ") for line in lines)
    assert not any("`" in line for line in lines)


def test_an_unknown_code_is_wrong_use() -> None:
    for wrong in ("HP999", "../README", "HP101.md"):
        done = run(wrong)
        assert (done.returncode, done.stdout) == (2, "")
        assert "is not a hipport diagnostic" in done.stderr


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("hp2", "Those that begin so: hipport explain | grep ^HP2"),
        ("cudaMalloc", "What a name of CUDA becomes: hipport mappings query cudaMalloc"),
        ("__shfl_sync", "What a name of CUDA becomes: hipport mappings query __shfl_sync"),
        ("foo", "List them with: hipport explain"),
        ("cu;reboot", "List them with: hipport explain"),
    ],
)
def test_the_hint_is_what_the_word_may_mean(word: str, hint: str) -> None:
    assert run(word).stderr.splitlines()[-1].strip() == hint


def test_the_number_of_a_code_is_enough() -> None:
    assert run("104").stdout == run("HP104").stdout


def test_a_page_in_a_pipe_is_plain_text_without_links() -> None:
    text = run("HP205").stdout
    assert "**" not in text and "](" not in text and "`" not in text
    assert "functions (docs/check.md)" in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 100 and not any(line.endswith(" ") for line in text.splitlines())


def test_links_to_pages_of_codes_are_their_names() -> None:
    assert _readable("[HP101](HP101.md), [a](HP101.md#x), [b](../build.md#c), [d](https://e.f)") == (
        "HP101, a (HP101), b (docs/build.md), [d](https://e.f)"
    )


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_other_encodings_show_tables(encoding: str) -> None:
    done = run("HP104", PYTHONIOENCODING=encoding, PYTHONUTF8="0")
    assert (done.returncode, done.stderr) == (0, "")
    assert " ----" in done.stdout
