from __future__ import annotations

import os
import socket
import stat
import sys
from pathlib import Path

import pytest

from hipport.diagnostics import Diagnostic
from hipport.project.walk import EntryKind, TreeEntry, walk
from tests.project.fake import build


def entries(tree: Path, without: Path | None = None) -> list[TreeEntry | Diagnostic]:
    return list(walk(str(tree), gitignore=True, without=str(without) if without else None))


def test_files_come_before_folders_in_byte_order(tmp_path: Path) -> None:
    build(tmp_path, {"b/c.cu": "", "b/A.cu": "", "z.cu": "", "a/x": "", "a-b": "", "é": ""})
    found = [entry.relative for entry in entries(tmp_path) if isinstance(entry, TreeEntry)]
    assert found == ["a", "a-b", "b", "z.cu", "é", "a/x", "b/A.cu", "b/c.cu"]


def test_source_names_start_as_the_user_named_the_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(tmp_path, {"src/a.cu": ""})
    monkeypatch.chdir(tmp_path)
    named = {
        tree: [e.source for e in walk(tree, gitignore=True) if isinstance(e, TreeEntry) and e.kind is EntryKind.FILE]
        for tree in ("src", "src/", ".", "./src")
    }
    assert named == {"src": ["src/a.cu"], "src/": ["src/a.cu"], ".": ["src/a.cu"], "./src": ["src/a.cu"]}


def test_links_are_found_and_not_followed(tmp_path: Path) -> None:
    build(tmp_path, {"d/a.cu": "", "loop": "-> loop", "up": "-> ..", "d/self": "-> .", "gone": "-> nothing"})
    kinds = {entry.relative: entry.kind for entry in entries(tmp_path) if isinstance(entry, TreeEntry)}
    assert [name for name, kind in kinds.items() if kind is EntryKind.LINK] == ["gone", "loop", "up", "d/self"]
    assert len(kinds) == 6


def test_the_output_folder_is_left_out(tmp_path: Path) -> None:
    build(tmp_path, {"a.cu": "", "out/a.hip": "", "outer/b.cu": ""})
    found = [entry.relative for entry in entries(tmp_path, tmp_path / "out") if isinstance(entry, TreeEntry)]
    assert found == ["a.cu", "outer", "outer/b.cu"]


def test_pipes_and_sockets_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "a.cu")
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("b.cu")
        found = entries(tmp_path)
    assert [(type(item), item.code) for item in found if isinstance(item, Diagnostic)] == [(Diagnostic, "HP907")] * 2
    assert len(found) == 2


def test_an_unreadable_folder_does_not_end_the_walk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(tmp_path, {"a/x": "", "b/y": ""})
    scan = os.scandir

    def refuse(path: str) -> os.PathLike[str]:
        if str(path).endswith("/a"):
            raise PermissionError(13, "Permission denied")
        return scan(path)  # type: ignore[return-value]

    monkeypatch.setattr(os, "scandir", refuse)
    found = entries(tmp_path)
    assert [item.message for item in found if isinstance(item, Diagnostic)] == ["cannot be read: permission denied"]
    assert [item.relative for item in found if isinstance(item, TreeEntry)] == ["a", "b", "b/y"]


def test_permissions_without_special_bits(tmp_path: Path) -> None:
    build(tmp_path, {"run.sh": "x"})
    (tmp_path / "run.sh").chmod(stat.S_ISUID | 0o755)
    (entry,) = entries(tmp_path)
    assert isinstance(entry, TreeEntry) and entry.mode == 0o755 and entry.size == 1


def test_deeper_than_python_recurses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    depth = sys.getrecursionlimit() + 200
    monkeypatch.chdir(tmp_path)
    for _ in range(depth):
        Path("d").mkdir()
        os.chdir("d")
    Path("a.cu").touch()
    found = [entry.relative for entry in entries(tmp_path) if isinstance(entry, TreeEntry)]
    Path("a.cu").unlink()
    for _ in range(depth):  # pytest's own clean-up would recurse
        os.chdir("..")
        Path("d").rmdir()
    assert found[-1] == "d/" * depth + "a.cu"
