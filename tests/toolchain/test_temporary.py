"""Compilers get a temporary folder of their own, so that nothing is left in the user's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hipport.toolchain.process import run
from hipport.toolchain.temporary import own_temporary_folder
from tests.small_hip import SMALL_HIP
from tests.toolchain.fakes import program

KERNEL = """\
#include <cuda_runtime.h>
__global__ void scale(float* x) { x[threadIdx.x] *= 2; }
int main() { scale<<<1, 32>>>(nullptr); }
"""
CMAKE = "cmake_minimum_required(VERSION 3.18)\nproject(p LANGUAGES CXX CUDA)\nadd_executable(p kernel.cu)\n"
MAKEFILE = "p: kernel.cu\n\tnvcc -gencode arch=compute_70,code=sm_70 -gencode arch=compute_80,code=sm_80 $< -o $@\n"


def test_a_folder_of_its_own_is_deleted_with_what_is_in_it(tmp_path: Path) -> None:
    with own_temporary_folder({"TMPDIR": str(tmp_path), "A": "1"}) as environ:
        folder = Path(environ["TMPDIR"])
        assert folder.parent == tmp_path and folder.is_dir() and environ["A"] == "1"
        (folder / "kernel-123456").mkdir()
        (folder / "kernel.o.tmp").touch()
    assert not folder.exists()


def test_it_is_deleted_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(KeyError), own_temporary_folder({"TMPDIR": str(tmp_path)}):
        raise KeyError
    assert list(tmp_path.iterdir()) == []


def test_what_reproduces_a_crash_stays(tmp_path: Path) -> None:
    with own_temporary_folder({"TMPDIR": str(tmp_path)}) as environ:
        for name in ("kernel-gfx90a-1cfafd.hip", "kernel-gfx90a-1cfafd.sh"):
            Path(environ["TMPDIR"], name).touch()
    assert len(list(tmp_path.rglob("kernel*"))) == 2


@pytest.mark.parametrize("named", ["", "/no/such/folder"])
def test_a_folder_that_is_missing_is_replaced(named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with own_temporary_folder({"TMPDIR": named}) as environ:
        assert Path(environ["TMPDIR"]).parent == tmp_path


def test_without_a_place_the_environment_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**_options: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.mkdtemp", full)
    with own_temporary_folder({"A": "1"}) as environ:
        assert environ == {"A": "1"}


def test_tools_that_are_asked_get_one(tmp_path: Path) -> None:
    tool = program(tmp_path / "bin/tool", '#!/bin/sh\nmkdir "$TMPDIR/left"; echo "$TMPDIR"\n')
    (tmp_path / "tmp").mkdir()
    done = run([tool], environ={**os.environ, "TMPDIR": str(tmp_path / "tmp")})
    assert done is not None and done.stdout.startswith(f"{tmp_path}/tmp/")
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.toolchain
@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("build", "tree/kernel.cu", "-o", "p", "--offload-arch", "gfx90a,gfx1030", "--compiler", "hipcc"),
        ("build", "tree/kernel.cu", "-o", "p", "--target", "cpu"),
        ("port", "tree", "-o", "out", "--offload-arch", "gfx90a,gfx1030"),
        ("port", "made", "-o", "out", "--offload-arch", "gfx90a,gfx1030"),
        ("doctor", "--offload-arch", "gfx90a,gfx1030"),
    ],
    ids=["build", "build-cpu", "port-cmake", "port-make", "doctor"],
)
def test_nothing_is_left_behind(arguments: tuple[str, ...], tmp_path: Path) -> None:
    for folder in ("tree", "made", "tmp"):
        (tmp_path / folder).mkdir()
    for folder, name, text in (("tree", "CMakeLists.txt", CMAKE), ("made", "Makefile", MAKEFILE)):
        (tmp_path / folder / "kernel.cu").write_text(KERNEL)
        (tmp_path / folder / name).write_text(text)
    small = {} if "cpu" in arguments else SMALL_HIP
    environ = {**os.environ, **small, "TMPDIR": str(tmp_path / "tmp")}
    command = [sys.executable, "-m", "hipport", *arguments]
    done = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)
    assert arguments[0] == "doctor" or done.returncode == 0, done.stderr
    assert list((tmp_path / "tmp").rglob("*")) == []
