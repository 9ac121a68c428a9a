"""Paths of Windows become what shared files have, and are compared as such."""

from __future__ import annotations

import ntpath
import posixpath
from pathlib import PureWindowsPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hipport.files.paths import is_below, relative, slashed

NAMES = st.text(st.characters(codec="ascii", exclude_characters='\\/:*?"<>|\0.', categories=("L", "N")), min_size=1)


@settings(max_examples=50)
@given(st.lists(NAMES, min_size=1, max_size=4), st.lists(NAMES, max_size=3))
def test_windows_paths_are_those_of_pathlib(names: list[str], folders: list[str]) -> None:
    path = PureWindowsPath("C:\\", *folders, *names)
    folder = PureWindowsPath("C:\\", *folders)
    found = relative(str(path), str(folder), ntpath)
    assert found == path.relative_to(folder).as_posix()
    assert is_below(found)


@pytest.mark.parametrize(
    ("path", "folder", "found", "below"),
    [
        ("C:\\p\\src\\a.cu", "C:\\p", "src/a.cu", True),
        ("C:\\p\\a.cu", "C:\\p\\deep", "../a.cu", False),
        ("D:\\a.cu", "C:\\p", "D:/a.cu", False),
        ("C:/p/src/a.cu", "c:\\P", "src/a.cu", True),
    ],
)
def test_drives_and_folders_above(path: str, folder: str, found: str, below: bool) -> None:
    assert relative(path, folder, ntpath) == found
    assert is_below(found) is below


def test_a_backslash_is_a_character_on_posix() -> None:
    assert slashed("a\\b", posixpath) == "a\\b"
    assert slashed("a\\b", ntpath) == "a/b"
    assert relative("..a/b") == "..a/b" and is_below("..a/b")
    assert not is_below(relative("../x"))
