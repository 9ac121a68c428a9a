"""`hipport init`: drafts that hipport itself accepts."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from hipport.builds.project_file import read_targets
from hipport.init.draft import draft
from hipport.project.settings import find_settings
from tests import served

CMAKE = """\
cmake_minimum_required(VERSION 3.18)
project(sums LANGUAGES CXX CUDA)
find_package(CUDAToolkit 11.8 REQUIRED)
set(CMAKE_CUDA_STANDARD 17)
set(SOURCES kernels.cu "more kernels.cu")
include_directories(${PROJECT_SOURCE_DIR}/include)
add_subdirectory(kernels)
add_library(headers INTERFACE)
target_include_directories(
  headers INTERFACE $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/headers> $<INSTALL_INTERFACE:i>)
add_executable(sums main.cpp)
target_link_libraries(sums PRIVATE kernels headers CUDA::cudart m)
add_executable(host_only tool.cpp)
add_executable(generated ${CMAKE_BINARY_DIR}/made.cu)
"""
KERNELS = """\
file(GLOB_RECURSE OTHERS src/*.cu)
add_library(kernels STATIC ${SOURCES} ${OTHERS} ../outside/../kernels/last.cu ../../escapes.cu)
target_compile_definitions(kernels PUBLIC FACTOR=3 $<$<CONFIG:Debug>:SLOW>)
set_target_properties(kernels PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
"""


def project(folder: Path) -> Path:
    files = {"CMakeLists.txt": CMAKE, "kernels/CMakeLists.txt": KERNELS, "main.cpp": "int main() { return 0; }\n"}
    files |= {f"kernels/{name}": "" for name in ("kernels.cu", "more kernels.cu", "src/deep/a.cu", "last.cu")}
    files |= {"tool.cpp": "", "include/a.h": ""}
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_cmake(tmp_path: Path) -> None:
    made = draft(project(tmp_path), None)
    (tmp_path / "hipport.toml").write_text(made.text)
    assert find_settings([str(tmp_path)]).cuda == "11.8"
    kernels, sums = read_targets(tmp_path)
    assert (kernels.name, kernels.kind.name, kernels.std, kernels.rdc) == ("kernels", "STATIC", "c++17", True)
    names = ["kernels/kernels.cu", "kernels/more kernels.cu", "kernels/src/deep/a.cu", "kernels/last.cu"]
    assert [Path(source).relative_to(tmp_path).as_posix() for source in kernels.sources] == names
    assert kernels.defines == ("FACTOR=3",)
    assert sums.libraries == ("kernels", "m")
    assert sums.include_dirs == (str(tmp_path / "include"), str(tmp_path / "headers"))
    assert made.left_out == ("headers", "host_only", "generated")


def test_a_compilation_database_is_enough(tmp_path: Path) -> None:
    project(tmp_path)
    (tmp_path / "build").mkdir()
    (tmp_path / "build/compile_commands.json").write_text("[]")
    (tmp_path / "hipport.toml").write_text(draft(tmp_path, None).text)
    settings = find_settings([str(tmp_path)])
    assert settings.compile_commands == str(tmp_path / "build") and settings.semantic
    assert "[targets" not in (tmp_path / "hipport.toml").read_text()


def test_every_key_that_is_commented_out_is_valid(tmp_path: Path) -> None:
    """A user takes the sign away: the examples must be accepted as they are."""
    lines = draft(tmp_path, None).text.splitlines()
    examples = [line[2:] for line in lines if line.startswith("# ") and " = " in line]
    (tmp_path / "hipport.toml").write_text("\n".join(examples))
    settings = find_settings([str(tmp_path)])
    assert settings.offload_arch == ("gfx90a", "gfx1100") and settings.wave_size == 64
    assert len(examples) == 15


@pytest.mark.parametrize(
    "text",
    [
        "add_subdirectory(.)\nadd_executable(a a.cu)",
        "add_subdirectory(${CMAKE_CURRENT_SOURCE_DIR}/.)",
        "add_subdirectory(../..)\nset(A ${A};${A})\n" + "set(A ${A};${A})\n" * 12,
        "target_link_libraries(a a)\nadd_library(a STATIC a.cu)\ntarget_link_libraries(a b)\nadd_library(b INTERFACE)\n"
        "target_link_libraries(b INTERFACE b a)",
        'set(A "\n',
        "file(GLOB S **.cu)\nset(T *)\nadd_library(a STATIC *${T}.cu)\nadd_library(b STATIC ${S})",
        "file(GLOB_RECURSE S /elsewhere/*.cu **/**.cu)\nadd_library(a STATIC ${S})\nadd_library(b STATIC /*.cu)",
        'add_executable("a b" a.cu)\nadd_executable(é a.cu)\nadd_executable(a ${Z} "a\\\\nb.cu" a"b.cu)',
    ],
)
def test_odd_projects_give_a_draft_that_is_accepted(text: str, tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(text)
    (tmp_path / "a.cu").write_text("")
    made = draft(tmp_path, None)
    (tmp_path / "hipport.toml").write_text(made.text)
    find_settings([str(tmp_path)])
    if "[targets" in made.text:
        read_targets(tmp_path)


@pytest.mark.parametrize("pattern", ["*.cu", "**.cu", "a***.cu"])
def test_stars_of_cmake_stay_in_a_folder(pattern: str, tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    for name in ("a.cu", "below/b.cu"):
        (tmp_path / name).write_text("")
    (tmp_path / "CMakeLists.txt").write_text(f"file(GLOB S {pattern})\nadd_library(a STATIC ${{S}})\n")
    (tmp_path / "hipport.toml").write_text(draft(tmp_path, None).text)
    (target,) = read_targets(tmp_path)
    assert [Path(source).name for source in target.sources] == ["a.cu"]


def init(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return served.hipport("init", *options, cwd=folder)


def test_the_command(tmp_path: Path) -> None:
    project(tmp_path)
    first = init(tmp_path)
    assert (first.returncode, first.stdout) == (0, "")
    assert "wrote hipport.toml, from CMakeLists.txt" in first.stderr
    again = init(tmp_path)
    assert again.returncode == 1 and "hipport.toml exists" in again.stderr and "--force" in again.stderr
    assert init(tmp_path, "--force").returncode == 0
    assert init(tmp_path, "--stdout").stdout == (tmp_path / "hipport.toml").read_text()
    assert init(tmp_path, "absent").returncode == 2
    assert "no compile_commands.json" in init(tmp_path, "-p", "build").stderr


def test_the_database_of_a_folder_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/compile_commands.json").write_text(json.dumps([]))
    assert 'compile-commands = "out"' in init(tmp_path, "-p", "out", "--stdout").stdout


def test_an_empty_folder_is_wrong_usage(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no code")
    done = init(tmp_path)
    assert done.returncode == 2 and "there is nothing to draft from in '.'" in done.stderr
    assert init(tmp_path, "--stdout").returncode == 2 and not (tmp_path / "hipport.toml").exists()
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.cu").write_text("")
    assert init(tmp_path).returncode == 0
