from __future__ import annotations

import os
from pathlib import Path

import pytest

from hipport.errors import UsageError
from hipport.project.request import Mode
from hipport.project.roots import find_roots
from tests.project.fake import build, request


@pytest.fixture(autouse=True)
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {
        "src/a.cu": "",
        "src/sub/b.cu": "",
        "src-2/c.cu": "",
        "more/a.cu": "",
        "more/src/x": "",
        "to": "-> src/a.cu",
    }
    build(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def places(*paths: str, folder: str | None = "out") -> list[tuple[str, str]]:
    mode = Mode.OUTPUT if folder else Mode.IN_PLACE
    return [(root.folder, root.prefix) for root in find_roots(request(mode, *paths, folder=folder))]


def test_one_tree_fills_the_folder() -> None:
    assert places("src") == [("out", "")]


def test_trees_beside_others_keep_their_names() -> None:
    assert places("src", "src-2/", "more/a.cu") == [("out", "src/"), ("out", "src-2/"), ("out", "")]


def test_the_current_folder_has_a_name(monkeypatch: pytest.MonkeyPatch, tree: Path) -> None:
    monkeypatch.chdir(tree / "src")
    assert places(".", "../more") == [("out", "src/"), ("out", "more/")]


def test_in_place() -> None:
    assert places("src", "more/a.cu", folder=None) == [("src", ""), ("more", "")]


@pytest.mark.parametrize(
    ("paths", "folder", "message", "hint"),
    [
        (["scr"], "out", "'scr': no such file", "Did you mean 'src'?"),
        (["src/sub/c.cu"], "out", "no such file", "Did you mean 'src/sub/b.cu'?"),
        (["nothing-like-it"], "out", "no such file", None),
        (["src", "src"], "out", "'src' was named twice", "Omit one"),
        (["src-2", "src/sub/b.cu", "src"], "out", "'src/sub/b.cu' was named twice: it is part of 'src'", "Omit"),
        (["src/a.cu", "more/a.cu"], "out", "both become 'out/a.cu'", "separately"),
        (["src", "more/src"], "out", "both become 'out/src'", "separately"),
        (["src"], "src", "'src' is also the input", "--in-place"),
        (["src"], "./src/", "is also the input", "--in-place"),
        (["src"], "more/a.cu", "is not a folder", "a folder with -o"),
        (["src"], "", "output folder is empty", "a folder with -o"),
        (["pipe"], "out", "neither a file nor a folder", "standard input"),
        (["to"], None, "is a symbolic link", "src/a.cu"),
    ],
)
def test_what_cannot_be_meant(paths: list[str], folder: str | None, message: str, hint: str | None) -> None:
    os.mkfifo("pipe")
    with pytest.raises(UsageError, match=message.replace("(", r"\(")) as caught:
        places(*paths, folder=folder)
    assert (caught.value.hint is None) if hint is None else (hint in str(caught.value.hint))


@pytest.mark.parametrize("paths", [["src"], ["src/a.cu", "more/a.cu"]])
def test_stdout_takes_one_file(paths: list[str]) -> None:
    with pytest.raises(UsageError, match="needs exactly one file"):
        find_roots(request(Mode.STDOUT, *paths))
