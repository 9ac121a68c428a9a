"""Folders of headers: include folders, toolkits, unpacked wheels."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hipport.audit.headers import read_folder
from hipport.audit.headers.places import header_files
from hipport.errors import HipportError
from hipport.mappings.entry import Kind


def put(folder: Path, *empty: str, **texts: str) -> Path:
    """Write headers: empty ones by their path, others as `name="text"` for name.h."""
    for header, text in {**dict.fromkeys(empty, ""), **{f"{name}.h": text for name, text in texts.items()}}.items():
        path = folder / header
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def headers(folder: Path, *only: str) -> list[str]:
    return [header for header, _ in header_files(folder, only)]


def test_a_macro_of_one_header_decorates_another(tmp_path: Path) -> None:
    put(tmp_path, define="#define APICALL __attribute__((noinline))\n", use="int APICALL apiGet(int x);\n")
    assert read_folder(tmp_path).names["apiGet"].kind is Kind.FUNCTION


def test_overloads_have_no_one_number_of_parameters(tmp_path: Path) -> None:
    put(tmp_path, a="int apiGet(int x); int apiSame(int x);", b="int apiGet(int x, int y); int apiSame(int y);")
    found = read_folder(tmp_path).names
    assert found["apiGet"].parameters is None
    assert found["apiSame"].parameters == 1


def test_headers_are_named_as_they_are_included(tmp_path: Path) -> None:
    put(tmp_path, "cuda.h", "crt/inner.h", "cccl/cub/block.h")
    (tmp_path / "notes.txt").write_text("int apiNot(void);")
    assert headers(tmp_path) == ["crt/inner.h", "cub/block.h", "cuda.h"]


def test_a_toolkit_has_an_include_folder(tmp_path: Path) -> None:
    put(tmp_path, "include/cuda.h", "samples/other.h")
    assert headers(tmp_path) == ["cuda.h"]


def test_wheels_have_several(tmp_path: Path) -> None:
    put(tmp_path, "nvidia/cu13/include/cuda.h", "nvidia/cudnn/include/cudnn.h", "nvidia/x/lib/y.h")
    assert headers(tmp_path) == ["cuda.h", "cudnn.h"]


def test_the_folder_of_hip_itself(tmp_path: Path) -> None:
    put(tmp_path, "hip/hip_version.h", "hip/amd_detail/a.h")
    assert headers(tmp_path / "hip") == ["hip/amd_detail/a.h", "hip/hip_version.h"]


def test_what_hip_is_on_nvidia_does_not_count(tmp_path: Path) -> None:
    folder = tmp_path / "hip/nvidia_detail"
    folder.mkdir(parents=True)
    (folder / "api.h").write_text("int hipOnly(void);")
    (tmp_path / "hip/api.h").write_text("int hipReal(void);")
    assert set(read_folder(tmp_path).names) == {"hipReal"}


def test_only_some_of_a_shared_folder(tmp_path: Path) -> None:
    put(tmp_path, "stdio.h", "hip/api.h", "hipx.h")
    assert headers(tmp_path, "hip*") == ["hip/api.h", "hipx.h"]


def test_c_headers_and_pxd_files_together(tmp_path: Path) -> None:
    (tmp_path / "chip.pxd").write_text(
        'cdef extern from "hip/hip.h":\n    cdef int HIP_X\ncdef int hipGet(int x) nogil\n'
    )
    found = read_folder(tmp_path)
    assert set(found.names) == {"HIP_X", "hipGet"}
    assert "hip/hip.h" in found.headers


@pytest.mark.parametrize(
    ("prepare", "says"),
    [
        (lambda path: None, "does not exist"),
        (lambda path: path.write_text("int x;"), "is not a folder"),
        (lambda path: path.mkdir(), "no headers found"),
    ],
)
def test_nothing_to_read(tmp_path: Path, prepare: object, says: str) -> None:
    folder = tmp_path / "include"
    assert callable(prepare)
    prepare(folder)
    with pytest.raises(HipportError, match=says) as error:
        read_folder(folder)
    assert error.value.hint


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    put(tmp_path, api="int apiGet(void);")
    (tmp_path / "api.h").chmod(0)
    with pytest.raises(HipportError, match=r"api\.h: Permission denied"):
        read_folder(tmp_path)


def test_odd_files_are_passed_over(tmp_path: Path) -> None:
    put(tmp_path, api="int apiGet(void);")
    (tmp_path / "dangling.h").symlink_to("nowhere.h")
    (tmp_path / "loop").symlink_to(".")
    (tmp_path / "folder.h").mkdir()
    os.mkfifo(tmp_path / "pipe.h")
    (tmp_path / "binary.h").write_bytes(bytes(range(256)) * 10)
    assert "apiGet" in read_folder(tmp_path).names
