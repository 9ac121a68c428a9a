"""Build files in a run, and what they learn about the rest of the tree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hipport.buildfiles.undefined_values import CMAKE_COMMANDS
from hipport.project.request import ConvertRequest, Mode, Report
from hipport.project.run import run
from hipport.translate.context import Options
from tests.project.fake import convert

EXPORT = "export HIPCC_COMPILE_FLAGS_APPEND ?= -Xclang -no-enable-noundef-analysis -fno-strict-return\n"
TREE = {
    "CMakeLists.txt": "project(x CUDA)\nfind_package(CUDAToolkit)\n",
    "lib/CMakeLists.txt": "add_library(l a.cu)\ntarget_link_libraries(l CUDA::curand)\n",
    "app/CMakeLists.txt": "find_package(CUDAToolkit)\nadd_executable(p ../lib/a.cu)\n",
    "cmake/deps.cmake": "find_package(CUDAToolkit QUIET)\n",
    "lib/a.cu": "cudaA",
    "Makefile": "CC = nvcc\nS = lib/a.cu\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in TREE.items():
        (tmp_path / "src" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "src" / name).write_text(text)
    return tmp_path / "src"


def go(tree: Path, mode: Mode = Mode.OUTPUT, **options: Any) -> Report:
    folder = str(tree.parent / "out") if mode is Mode.OUTPUT else None
    request = ConvertRequest((str(tree),), mode, Options(), folder=folder, jobs=1, **options)
    return run(request, lambda done, total: None, convert)


def read(tree: Path, name: str) -> str:
    return (tree.parent / "out" / name).read_text()


def test_packages_are_found_where_their_targets_are_used(tree: Path) -> None:
    go(tree)
    assert read(tree, "CMakeLists.txt") == "\n".join(
        ["project(x HIP)", *CMAKE_COMMANDS, "find_package(hip)", "find_package(hiprand)", ""]
    )
    assert read(tree, "lib/CMakeLists.txt") == "add_library(l a.hip)\ntarget_link_libraries(l hip::hiprand)\n"
    assert read(tree, "app/CMakeLists.txt") == "find_package(hip)\nadd_executable(p ../lib/a.hip)\n"
    assert read(tree, "cmake/deps.cmake") == "find_package(hip QUIET)\nfind_package(hiprand QUIET)\n"


def test_names_that_stay_are_reported(tree: Path) -> None:
    report = go(tree, keep_names=True)
    assert (
        "a.cu" in read(tree, "lib/CMakeLists.txt") and read(tree, "Makefile") == f"{EXPORT}CC = hipcc\nS = lib/a.cu\n"
    )
    assert [found.code for found in report.diagnostics] == ["HP408", "HP408"]


def test_the_way_to_own_headers_is_told(tree: Path) -> None:
    (tree / "lib/a.cu").write_text("#include <hipport/compat/integer.h>\n")
    (tree / "lib/Makefile").write_text("CC = nvcc\n")
    go(tree)
    assert read(tree, "Makefile").startswith(f"{EXPORT}CC = hipcc -I.\n")
    assert read(tree, "lib/Makefile") == f"{EXPORT}CC = hipcc -I..\n"
    lines = read(tree, "CMakeLists.txt").splitlines()
    assert lines[: 2 + len(CMAKE_COMMANDS)] == [
        "project(x HIP)",
        *CMAKE_COMMANDS,
        "include_directories(${CMAKE_CURRENT_SOURCE_DIR})",
    ]


def test_build_files_can_be_left_alone(tree: Path) -> None:
    report = go(tree, build_files=False)
    assert read(tree, "Makefile") == TREE["Makefile"]
    assert not any(file.build_file for file in report.files)


def test_build_files_are_told_from_sources_in_the_report(tree: Path) -> None:
    report = go(tree)
    assert {file.source.removeprefix(f"{tree}/") for file in report.files if file.build_file} == TREE.keys() - {
        "lib/a.cu"
    }


def test_they_follow_in_the_next_run(tree: Path) -> None:
    go(tree)
    (tree / "lib/b.cu").write_text("cudaB")
    (tree / "Makefile").write_text("S = lib/a.cu lib/b.cu # nvcc\n")
    assert go(tree).exit_status == 0
    assert read(tree, "Makefile") == "S = lib/a.hip lib/b.hip # nvcc\n"


def test_in_place_and_once_more(tree: Path) -> None:
    go(tree, Mode.IN_PLACE)
    assert (tree / "Makefile").read_text() == f"{EXPORT}CC = hipcc\nS = lib/a.hip\n"
    assert not go(tree, Mode.CHECK).changed


def test_a_build_file_alone(tree: Path) -> None:
    report = run(
        ConvertRequest((str(tree / "Makefile"),), Mode.STDOUT, Options(), jobs=1), lambda done, total: None, convert
    )
    assert report.files[0].after == f"{EXPORT}CC = hipcc\nS = lib/a.cu\n".encode()
    assert report.releases is None


def test_a_defect_costs_one_file(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr("hipport.buildfiles.make.compiler.nvcc_variables", fail)
    monkeypatch.setattr("hipport.buildfiles.make.flags.nvcc_variables", fail)
    report = go(tree)
    assert [(found.code, Path(found.path).name) for found in report.diagnostics] == [("HP905", "Makefile")]
    assert read(tree, "Makefile") == TREE["Makefile"] and read(tree, "lib/a.hip") == "hipA"


def test_architectures_are_followed_into_variables_of_other_files(tree: Path) -> None:
    (tree / "cmake/gpus.cmake").write_text("set(GPUS 70 80-real)\nset(LESS_THAN 70)\nlist(APPEND ALL_GPUS ${GPUS})\n")
    (tree / "lib/CMakeLists.txt").write_text("set_property(TARGET l PROPERTY CUDA_ARCHITECTURES ${ALL_GPUS})\n")
    go(tree)
    expected = "set(GPUS gfx90a gfx1030)\nset(LESS_THAN 70)\nlist(APPEND ALL_GPUS ${GPUS})\n"
    assert read(tree, "cmake/gpus.cmake") == expected


def test_a_module_finds_own_headers_from_its_own_folder(tree: Path) -> None:
    (tree / "lib/a.cu").write_text("#include <hipport/compat/integer.h>\n")
    (tree / "cmake/deps.cmake").write_text("enable_language(CUDA)\n")
    go(tree)
    assert "include_directories(${CMAKE_CURRENT_SOURCE_DIR})" in read(tree, "CMakeLists.txt")
    assert "include_directories(${CMAKE_CURRENT_LIST_DIR}/..)" in read(tree, "cmake/deps.cmake")


def test_makefiles_share_the_variables_of_what_they_include(tree: Path) -> None:
    (tree / "make.inc").write_text("NVCC = nvcc\nOPTIONS = -G -rdc=true\nHOST = -G\n")
    (tree / "lib/Makefile").write_text(
        "include ../make.inc\nx: a.o\n\t$(NVCC) $(OPTIONS) -c a.cu\n\t$(NVCC) a.o -o x\n"
    )
    go(tree)
    assert read(tree, "make.inc") == f"{EXPORT}NVCC = hipcc\nOPTIONS = -g -fgpu-rdc\nHOST = -G\n"
    assert "\t$(NVCC) -fgpu-rdc --hip-link a.o -o x\n" in read(tree, "lib/Makefile")
