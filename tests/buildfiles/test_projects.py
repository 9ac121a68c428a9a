"""The fixture projects, converted and built with their own build systems for two GPUs."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hipport import codeobject
from hipport.builds.runner import ninja_program
from hipport.support import cmake_dir
from tests.small_hip import SMALL_HIP

PROJECTS = Path(__file__).parents[2] / "fixtures" / "projects"
TARGETS = {"gfx90a", "gfx1030"}
pytestmark = [pytest.mark.slow, pytest.mark.toolchain]


def run(*command: object, cwd: Path, **environment: str) -> str:
    """Run a command that must succeed, and return its standard output."""
    paths = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    settings = {**os.environ, "PATH": paths, "HIP_PLATFORM": "amd", "CLICOLOR": "0", **environment}
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env=settings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def converted(name: str, folder: Path, *options: str) -> Path:
    run(sys.executable, "-m", "hipport", "convert", PROJECTS / name, "-o", folder / name, *options, cwd=Path.cwd())
    return folder / name


def targets(program: Path) -> set[str]:
    found = (entry.target_id for bundle in codeobject.read(program).bundles for entry in bundle.entries)
    return {target for target in found if target}


def configure(source: Path, build: Path, *options: str) -> None:
    """Configure a project whose sources need no more of HIP than the small one."""
    toolchain = f"-DCMAKE_TOOLCHAIN_FILE={cmake_dir() / 'distribution.cmake'}"
    generator = ("-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja_program()}")
    run(
        "cmake",
        "-S",
        source,
        "-B",
        build,
        *generator,
        toolchain,
        "-DCMAKE_BUILD_TYPE=Release",
        *options,
        cwd=source,
        **SMALL_HIP,
    )


def test_the_cmake_project_builds_for_two_gpus(tmp_path: Path) -> None:
    """It is configured by the command that `convert` ends with."""
    command = [sys.executable, "-m", "hipport", "convert", PROJECTS / "cmake_signal", "-o", "my port"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    last = done.stderr.splitlines()[-1].removeprefix("hipport: configure it on this machine with: ")
    run("sh", "-c", last, cwd=tmp_path)
    build = tmp_path / "my port/build"
    run("cmake", "--build", build, "-j2", cwd=tmp_path)
    assert targets(build / "app/energy") == TARGETS
    assert "100% tests passed" in run("ctest", cwd=build)
    energy = run(build / "app/energy", cwd=tmp_path)
    assert energy in ("no GPU\n", "energy: 4000.0\n")


def test_device_code_of_static_libraries_is_linked(tmp_path: Path) -> None:
    project = converted("cmake_rdc", tmp_path)
    configure(project, tmp_path / "build", "-DCMAKE_HIP_ARCHITECTURES=gfx90a")
    run("cmake", "--build", tmp_path / "build", cwd=tmp_path, **SMALL_HIP)
    for program in ("chain", "whole"):
        assert targets(tmp_path / "build" / program) == {"gfx90a"}
        assert run(tmp_path / "build" / program, cwd=tmp_path) in ("no GPU\n", "42\n")


def test_options_fit_the_kinds_of_targets(tmp_path: Path) -> None:
    project = converted("cmake_kinds", tmp_path)
    configure(project, tmp_path / "build", "-DCMAKE_HIP_ARCHITECTURES=gfx90a")
    run("cmake", "--build", tmp_path / "build", cwd=tmp_path, **SMALL_HIP)
    for kind in ("static", "shared", "objects", "expression", "variable"):
        assert run(tmp_path / f"build/app/of_{kind}", cwd=tmp_path) in ("no GPU\n", "42\n")


FINDCUDA = """\
cmake_minimum_required(VERSION 3.5)
project(old)
find_package(CUDA REQUIRED)
set(CUDA_SEPARABLE_COMPILATION ON)
set(CUDA_LINK_LIBRARIES_KEYWORD PRIVATE)
cuda_add_library(increment STATIC increment.cu)
cuda_add_executable(chain launch.cu host.cpp)
target_link_libraries(chain PRIVATE increment)
"""


def test_findcuda_links_device_code_and_gives_host_sources_the_headers(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(PROJECTS / "cmake_rdc", tree)
    (tree / "CMakeLists.txt").write_text(FINDCUDA)
    (tree / "host.cpp").write_text("#include <cuda_runtime_api.h>\n" + (tree / "main.cpp").read_text())
    run(sys.executable, "-m", "hipport", "convert", tree, "-o", tmp_path / "port", cwd=tmp_path)
    configure(tmp_path / "port", tmp_path / "build", "-DCMAKE_HIP_ARCHITECTURES=gfx90a")
    run("cmake", "--build", tmp_path / "build", cwd=tmp_path, **SMALL_HIP)
    assert run(tmp_path / "build/chain", cwd=tmp_path) in ("no GPU\n", "42\n")


def test_the_makefile_project_builds_for_two_gpus(tmp_path: Path) -> None:
    project = converted("make_image", tmp_path)
    run("make", "-j2", cwd=project)
    assert targets(project / "image") == TARGETS
    assert "Nothing to be done" in run("make", cwd=project, LC_ALL="C")
    run("make", "clean", cwd=project)
    assert not (project / "image").exists()


def test_other_targets_can_be_named(tmp_path: Path) -> None:
    project = converted("make_image", tmp_path, "--offload-arch", "gfx1100,gfx90a:xnack+")
    assert "--offload-arch=gfx1100 --offload-arch=gfx90a:xnack+" in (project / "config.mk").read_text()


def test_setup_py_stays_python(tmp_path: Path) -> None:
    project = converted("setup_ops", tmp_path)
    tree = ast.parse((project / "setup.py").read_text())
    strings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    assert {"csrc/scale.hip", "hipblas", "-fcuda-approx-transcendentals"} <= strings
    assert (project / "csrc/scale.hip").is_file()


@pytest.fixture(scope="module")
def cuda_only(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Configure the project whose only source stays CUDA."""
    project = tmp_path_factory.mktemp("cuda_only") / "with blank"
    shutil.copytree(PROJECTS / "cuda_only", project)
    prefix = f"-DCMAKE_PREFIX_PATH={cmake_dir()}"
    configure(project, project / "build", prefix, "-DCMAKE_HIP_ARCHITECTURES=gfx90a")
    return project


def build(project: Path) -> list[str]:
    """Build the project; return the kinds of the steps that ran."""
    said = run("cmake", "--build", project / "build", cwd=project, **SMALL_HIP)
    return [line.split("] ", 1)[1].split(" ")[0] for line in said.splitlines() if line.startswith("[")]


def test_cuda_sources_are_translated_while_building(cuda_only: Path) -> None:
    assert sorted(build(cuda_only)) == ["Building", "Building", "Linking", "Linking", "Translating", "Translating"]
    assert targets(cuda_only / "build/cuda_only") == {"gfx90a"}
    assert run(cuda_only / "build/cuda_only", cwd=cuda_only) in ("no GPU\n", "")
    assert build(cuda_only) == []

    header = cuda_only / "include/factor.cuh"
    os.utime(header)
    assert build(cuda_only) == ["Translating", "Translating"]  # and nothing is compiled: they say what they said
    assert build(cuda_only) == []

    header.write_text(header.read_text().replace("2.0f", "3.0f"))
    assert "Building" in build(cuda_only)
    assert build(cuda_only) == []


def test_what_is_no_cmake_project_gets_no_command(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hipport", "convert", PROJECTS / "make_image", "-o", "port"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "to configure" not in done.stderr
