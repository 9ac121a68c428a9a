from __future__ import annotations

import os
from pathlib import Path

import pytest

from hipport.files import sources


@pytest.mark.parametrize("name", ["a.cu", "a.cuh", "a.b.hpp", "a.H", "a.hip", "dir.x/a.inl"])
def test_sources(name: str) -> None:
    assert sources.is_source(name)


@pytest.mark.parametrize("name", ["a.md", "a", ".cu", "cu", "a.cu.orig", "a.py", "a.CU", "Makefile", "dir.cu/a"])
def test_other_files(name: str) -> None:
    assert not sources.is_source(name)


@pytest.mark.parametrize(
    ("old", "new"),
    [("a.cu", "a.hip"), ("a.cuh", "a.cuh"), ("a.cu.cu", "a.cu.hip"), ("d.cu/a.h", "d.cu/a.h"), (".cu", ".cu")],
)
def test_only_cu_is_renamed(old: str, new: str) -> None:
    assert sources.renamed(old) == new


def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.cu")
    with pytest.raises(OSError, match="not a regular file"):
        sources.read(str(tmp_path / "a.cu"))


@pytest.mark.parametrize(
    ("data", "binary"),
    [
        (b"", False),
        (b"int a;\xff\xfe\n", False),
        (b"\x7fELF\x02\0\0", True),
        ("\ufeffint a;".encode("utf-16-le"), False),
        (b"x" * 8000 + b"\0", False),  # git looks no further either
    ],
)
def test_binary(tmp_path: Path, data: bytes, binary: bool) -> None:
    path = tmp_path / "a.cu"
    path.write_bytes(data)
    assert sources.looks_binary(path.read_bytes()) is binary
