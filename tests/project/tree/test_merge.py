from __future__ import annotations

import pytest

from hipport.errors import HipportError
from hipport.project.tree.merge import has_markers, merge

BASE = b"".join(b"line %d\n" % number for number in range(9))


def test_changes_apart_are_brought_together() -> None:
    merged = merge(BASE, BASE.replace(b"line 1\n", b"edited\n"), BASE.replace(b"line 7\n", b"new\r\n"))
    assert merged is not None and merged.clean
    assert merged.data == BASE.replace(b"line 1\n", b"edited\n").replace(b"line 7\n", b"new\r\n")


def test_changes_of_the_same_line_leave_markers() -> None:
    merged = merge(BASE, BASE.replace(b"line 4", b"edited"), BASE.replace(b"line 4", b"new"))
    assert merged is not None and not merged.clean and has_markers(merged.data)
    assert b"<<<<<<< edited here\nedited\n||||||| converted before\nline 4\n=======\nnew\n>>>>>>> " in merged.data


def test_what_is_no_text_is_not_merged() -> None:
    assert merge(b"\0a", b"\0b", b"\0c") is None


@pytest.mark.parametrize("text", [b"", b"<<<<<<< HEAD\n", b"x <<<<<<< edited here\n", b">>>>>>> converted now, too\n"])
def test_what_only_looks_like_markers(text: bytes) -> None:
    assert not has_markers(text)


def test_without_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(HipportError, match="git is needed"):
        merge(b"a", b"b", b"c")
