"""The diff, applied by git and patch."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hipport.project.request import FileResult
from hipport.project.task import Action
from hipport.report.diff import coloured, diff_lines

APPLIERS = [["git", "apply", "--whitespace=nowarn", "-"], ["patch", "-p1", "--quiet", "--no-backup-if-mismatch"]]


def result(source: str, target: str, before: bytes, after: bytes, action: Action = Action.TRANSLATE) -> FileResult:
    return FileResult(source, target, action, True, before=before, after=after)


def applied(folder: Path, files: list[FileResult], command: list[str]) -> dict[str, bytes]:
    """Write the old state, apply the diff, and return the new state."""
    for file in files:
        path = folder / file.source
        path.parent.mkdir(parents=True, exist_ok=True)
        if file.action is Action.LINK:
            path.symlink_to(os.fsdecode(file.before))
        else:
            path.write_bytes(file.before)
    here = Path.cwd()
    os.chdir(folder)  # names in a diff are seen from the current folder
    try:
        diff = b"".join(diff_lines(files))
    finally:
        os.chdir(here)
    done = subprocess.run(command, cwd=folder, input=diff, capture_output=True, check=False)
    assert done.returncode == 0, (done, diff)
    found = [path for path in folder.rglob("*") if path.is_symlink() or path.is_file()]
    return {
        str(path.relative_to(folder)): os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
        for path in found
    }


def expected(files: list[FileResult]) -> dict[str, bytes]:
    return {file.target: file.after for file in files}


@pytest.mark.parametrize("command", APPLIERS, ids=["git", "patch"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a\nb\nc\n", b"a\nB\nc\n"),
        (b"a\nb", b"a\nB"),
        (b"a\nb\n", b"a\nb"),
        (b"a\nb", b"a\nb\n"),
        (b"a\r\nb\r\n", b"a\r\nB\r\n"),
        (b"a\rb\rc", b"a\rB\rc"),
        (b"\xff\xfe\n\xe9b\n", b"\xff\xfe\n\xe9B\n"),
        (b"--- a\n+++ b\n@@ -1 +1 @@\n", b"--- a\n+++ c\n@@ -1 +1 @@\n"),
        (b"a\x0cb\x0b\x1c\n\xc2\x85\n", b"a\x0cc\x0b\x1c\n\xc2\x85\n"),
        (b"".join(b"%d\n" % n for n in range(100)), b"".join(b"%d\n" % n for n in range(100) if n not in (3, 50, 99))),
    ],
)
@pytest.mark.parametrize("target", ["d/a.cu", "d/a.hip"])
def test_contents(tmp_path: Path, command: list[str], before: bytes, after: bytes, target: str) -> None:
    files = [result("d/a.cu", target, before, after)]
    assert applied(tmp_path, files, command) == expected(files)


def patch_version() -> str:
    return subprocess.run(["patch", "--version"], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("command", APPLIERS, ids=["git", "patch"])
@pytest.mark.parametrize(
    "name", ["a b", "ünï", os.fsdecode(b"l\xe4tin"), 'q"uote', "back\\slash", "tab\there", "new\nline", "-x", "a -> b"]
)
def test_names(tmp_path: Path, command: list[str], name: str) -> None:
    if "\n" in name and command[0] == "patch" and "patch 2.7" not in patch_version():
        pytest.skip("patch 2.8 crashes on a line end in a name")
    files = [result(f"{name}.cu", f"{name}.hip", b"a\n", b"b\n"), result(f"{name}.h", f"{name}.h", b"a\n", b"b\n")]
    assert applied(tmp_path, files, command) == expected(files)


@pytest.mark.parametrize("command", APPLIERS, ids=["git", "patch"])
def test_a_rename_alone(tmp_path: Path, command: list[str]) -> None:
    files = [result("a.cu", "a.hip", b"same\n", b"same\n"), result("empty.cu", "empty.hip", b"", b"")]
    assert applied(tmp_path, files, command) == expected(files)


def test_links(tmp_path: Path) -> None:
    files = [result("l.cu", "l.hip", b"a.cu", b"a.hip", Action.LINK), result("m", "m", b"x", b"y", Action.LINK)]
    assert applied(tmp_path, files, APPLIERS[0]) == expected(files)


LINES = st.lists(
    st.sampled_from([b"a", b"b", b"", b"\r", b"-", b"+x", b" ", b"\\ No", b"\xff", b"a\x0cb"]), max_size=12
)
TEXTS = st.tuples(LINES, st.booleans()).map(lambda text: b"\n".join(text[0]) + b"\n" * (text[1] and bool(text[0])))


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXTS, st.sampled_from(APPLIERS))
def test_any_change(before: bytes, after: bytes, command: list[str]) -> None:
    files = [result("a.cu", "a.hip", before, after)]
    with tempfile.TemporaryDirectory() as folder:
        assert applied(Path(folder), files, command) == expected(files)


def test_files_outside_the_current_folder_are_seen_from_the_root(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_bytes(b"a\n")
    path = str(tmp_path / "a.h")
    diff = b"".join(diff_lines([result(path, path, b"a\n", b"b\n")]))
    subprocess.run(["patch", "-p1", "--quiet", "-d", "/"], input=diff, check=True)
    assert (tmp_path / "a.h").read_bytes() == b"b\n"


def test_nothing_for_what_does_not_change() -> None:
    same = FileResult("a", "a", Action.COPY, changed=False, before=b"a", after=b"a")
    failed = FileResult("b", "b.hip", Action.TRANSLATE, changed=True, failed=True, before=b"a", after=b"b")
    assert list(diff_lines([same, failed])) == []


def test_colours_do_not_let_control_characters_through() -> None:
    assert coloured(b"+a\x1b[2J\tb\x07\r\n") == b"\x1b[32m+a^[[2J\tb^G\x1b[0m\n"
    assert coloured(b" plain\n") == b" plain\n"
