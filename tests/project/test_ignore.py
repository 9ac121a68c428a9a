"""`.gitignore` handling compared with git."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hipport.diagnostics import Diagnostic
from hipport.project.walk import EntryKind, walk
from tests.project.fake import build


def found(tree: Path, *, gitignore: bool = True) -> list[str]:
    entries = list(walk(str(tree), gitignore=gitignore))
    return sorted(e.relative for e in entries if not isinstance(e, Diagnostic) and e.kind is not EntryKind.FOLDER)


def git_files(tree: Path) -> list[str]:
    """Return the files that git would add."""
    subprocess.run(["git", "init", "-q", tree], check=True)
    command = ["git", "-C", tree, "ls-files", "--others", "--exclude-standard", "-z"]
    return sorted(filter(None, subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")))


PATTERN = st.sampled_from(
    [
        "a",
        "b",
        "*.cu",
        "!a.cu",
        "/a",
        "a/",
        "!b/",
        "**/b",
        "a/**",
        "b/*.h",
        "!keep.h",
        "a/*/b",
        "#",
        "[ab]",
        "?",
        "*",
        "!*/",
        "!*.h",
        "\\!x",
        "x\\ ",
        "a/b/",
        "/*/a.cu",
        "foo**",
        "!",
        "/",
    ]
)
PATTERNS = st.lists(PATTERN, max_size=4)
FOLDERS = ["", "a/", "b/", "a/b/", "b/a/", "a/b/a/"]
FILES = ["a.cu", "b.h", "keep.h", "x", "!x", "foo.cu"]


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from(FOLDERS), PATTERNS, max_size=3), st.sampled_from(["\n", "\r\n"]))
def test_agrees_with_git(rules: dict[str, list[str]], newline: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        tree = build(Path(folder), {place + name: "x" for place in FOLDERS for name in FILES})
        build(tree, {place + ".gitignore": newline.join(lines) for place, lines in rules.items()})
        assert found(tree) == git_files(tree)


def test_nested_rules_win_over_outer_ones(tmp_path: Path) -> None:
    build(tmp_path, {".gitignore": "*.log", "a.log": "", "sub/.gitignore": "!b.log", "sub/b.log": "", "sub/c.log": ""})
    assert found(tmp_path) == [".gitignore", "sub/.gitignore", "sub/b.log"]


def test_no_gitignore_takes_all_but_git_itself(tmp_path: Path) -> None:
    build(tmp_path, {".gitignore": "*", "a.cu": "", ".git/config": "", "sub/.git": "gitdir: elsewhere"})
    assert found(tmp_path, gitignore=False) == [".gitignore", "a.cu"]


def test_rules_of_the_repository_around(tmp_path: Path) -> None:
    build(
        tmp_path, {".git/HEAD": "", ".gitignore": "*.o\n/src/gen/", "src/a.o": "", "src/a.cu": "", "src/gen/b.cu": ""}
    )
    assert found(tmp_path / "src") == ["a.cu"]


def test_a_folder_named_on_purpose_is_taken_though_ignored(tmp_path: Path) -> None:
    build(tmp_path, {".git/HEAD": "", ".gitignore": "out/", "out/a.cu": "", "out/sub/b.cu": ""})
    assert found(tmp_path / "out") == ["a.cu", "sub/b.cu"]


def test_outside_a_repository_folders_above_do_not_count(tmp_path: Path) -> None:
    build(tmp_path, {".gitignore": "*", "src/a.cu": ""})
    assert found(tmp_path / "src") == ["a.cu"]


@pytest.mark.parametrize("kind", ["link", "folder", "pipe"])
def test_gitignore_that_is_no_file_means_nothing(tmp_path: Path, kind: str) -> None:
    tree = build(tmp_path / "tree", {"a.cu": ""})
    rules = tree / ".gitignore"
    if kind == "link":
        rules.symlink_to(build(tmp_path, {"rules": "*"}) / "rules")
    elif kind == "folder":
        rules.mkdir()
    else:
        os.mkfifo(rules)
    assert "a.cu" in found(tree)
