"""Units that CMake or make compiled nothing from."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.codeobject.bundle import MAGIC
from hipport.port.left_out import LeftOut, left_out, left_out_of_make, nothing_compiled, nothing_made
from hipport.project.request import FileResult
from hipport.project.task import Action


def results(folder: Path, **texts: str) -> list[FileResult]:
    for name, text in texts.items():
        (folder / f"{name}.hip").write_text(text)
    return [FileResult(f"{name}.cu", str(folder / f"{name}.hip"), Action.TRANSLATE, True) for name in texts]


@pytest.mark.parametrize(
    ("products", "missing"),
    [
        ([], ["one.cu", "two.cu"]),
        (["CMakeFiles/t.dir/src/one.hip.o"], ["two.cu"]),
        (["t.dir/t_generated_one.hip.o", "two.hsaco"], []),
        (["one.hip.obj", "two.o"], []),
        (["one", "two.so"], []),  # by commands of the project
        (["one.hip.o", "two.cpp.o", "two.txt", "xtwo.o"], ["two.cu"]),
        (["unity_0_hip.hip.o"], []),
    ],
)
def test_units_without_an_object(products: list[str], missing: list[str], tmp_path: Path) -> None:
    files = results(tmp_path, one='#include "part.hip"\n', two="", part="")
    for name in products:
        path = tmp_path / "build" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    found = left_out(files, str(tmp_path / "build"))
    assert [file.source for file in found.units] == missing
    assert products[:1] == ["unity_0_hip.hip.o"] or found.of == 2  # what others include is no unit


def test_copied_files_and_headers_are_no_units(tmp_path: Path) -> None:
    files = [FileResult("a.cu", "a.cu", Action.COPY), FileResult("b.cuh", "b.cuh", Action.TRANSLATE, True)]
    assert left_out(files, str(tmp_path)) == LeftOut((), 0)


@pytest.mark.parametrize(
    ("text", "output", "line", "ending"),
    [
        ("# HDF5\nfind_package(HDF5)\n", "-- Could NOT find HDF5 (missing: X)\n", 2, ", and it did not find HDF5"),
        ("x\noption(USE_CUDA off)\noption(WITH_Y on)\n", "", 2, "; the project has the options USE_CUDA"),
        ("project(x)\n", "-- Found MPI\n", 1, "none of 2 translated units"),
    ],
)
def test_the_error_is_where_the_project_decides(text: str, output: str, line: int, ending: str, tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(text)
    found = nothing_compiled(LeftOut((), 2), str(tmp_path), output)
    assert (found.path, found.line) == (str(tmp_path / "CMakeLists.txt"), line)
    assert found.message.endswith(ending)


@pytest.mark.parametrize(
    ("product", "is_built"),
    [(b"", False), (b"x" * 2**20, False), (MAGIC, True), (b"x" * (2**20 - 5) + MAGIC, True), (b"\0CCOB", True)],
    ids=["empty", "host", "bundle", "between-parts", "compressed"],
)
def test_make_has_built_something_if_a_product_has_device_code(product: bytes, is_built: bool, tmp_path: Path) -> None:
    files = results(tmp_path, one=f"__global__ void a();\n// {MAGIC.decode()}", host="int a;")
    (tmp_path / "program").write_bytes(product)
    assert left_out_of_make(files, str(tmp_path)) == LeftOut(() if is_built else (files[0],), 1)


@pytest.mark.parametrize(
    ("text", "line", "ending"),
    [
        ("all:\n", 1, "none of 2 translated units"),
        ("USE_CUDA = 1\nX=1\nifeq ($(USE_CUDA), 1)\nendif\n", 3, "; the project has the options USE_CUDA"),
        ("all:\n\tx\n  ifdef WITH_GPU\nendif\nifneq '$(HIP)' ''\n", 3, "options WITH_GPU, HIP"),
    ],
)
def test_the_error_is_at_the_condition_of_the_makefile(text: str, line: int, ending: str, tmp_path: Path) -> None:
    makefile = tmp_path / "Makefile"
    makefile.write_text(text)
    found = nothing_made(LeftOut((), 2), str(makefile))
    assert (found.path, found.line, found.message.endswith(ending)) == (str(makefile), line, True), found.message
