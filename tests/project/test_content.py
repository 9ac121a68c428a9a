from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from hipport.project.content import Bytes, Content, SameAs
from hipport.project.output import Output

DATA = bytes(range(256)) * 9000  # more than one block


def _refuse(*_: object) -> int:
    raise OSError(errno.EXDEV, "Invalid cross-device link")


@pytest.fixture(params=["by the kernel", "by reading", "from memory"])
def content(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Content:
    if request.param == "from memory":
        return Bytes(DATA)
    if request.param == "by reading":
        monkeypatch.setattr(os, "copy_file_range", _refuse)
    source = tmp_path / "source"
    source.write_bytes(DATA)
    file = source.open("rb")
    request.addfinalizer(file.close)
    return SameAs(file)


def test_what_is_written_is_what_was_given(content: Content, tmp_path: Path) -> None:
    assert Output(str(tmp_path / "out")).write("a", content, 0o644)
    assert (tmp_path / "out/a").read_bytes() == DATA
    assert not Output(str(tmp_path / "out")).write("a", content, 0o644)


@pytest.mark.parametrize("there", [b"", DATA[:-1], DATA + b"x", DATA[:-1] + b"x", b"x" + DATA[1:]])
def test_another_content_is_replaced(content: Content, tmp_path: Path, there: bytes) -> None:
    (tmp_path / "a").write_bytes(there)
    assert Output(str(tmp_path)).write("a", content, 0o644)
    assert (tmp_path / "a").read_bytes() == DATA


def test_what_is_not_to_count_leaves_what_was(tmp_path: Path) -> None:
    def changed() -> None:
        raise OSError("it changed")

    (tmp_path / "source").write_bytes(b"new")
    (tmp_path / "a").write_bytes(b"old")
    with (tmp_path / "source").open("rb") as file, pytest.raises(OSError, match="it changed"):
        Output(str(tmp_path)).write("a", SameAs(file, changed), 0o644)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "source"]
    assert (tmp_path / "a").read_bytes() == b"old"


def test_folders_stay_open_and_may_go_meanwhile(tmp_path: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    with Output(str(tmp_path)) as output:
        for name in ("a/b/x", "a/b/y", "a/c/z", "d"):
            assert output.write(name, Bytes(b"1"), 0o644)
        output.remove("a/c/z")
        output.remove_empty("a/c")
        assert output.write("a/c/z", Bytes(b"2"), 0o644)
    assert (tmp_path / "a/c/z").read_bytes() == b"2" and (tmp_path / "a/b/y").read_bytes() == b"1"
    assert len(list(Path("/proc/self/fd").iterdir())) == before
