"""Programs that hipcc and CMake built; wavefronts of 64 lanes on RDNA; stacks whose size is not known."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hipport.toolchain.process import amd_environment
from tests.emulate.conftest import emulated

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

SOURCE = Path(__file__).with_name("stacks.hip")
LISTS = """\
cmake_minimum_required(VERSION 3.21)
project(stacks LANGUAGES CXX)
find_package(hip REQUIRED)
add_executable(stacks "{source}")
set_source_files_properties("{source}" PROPERTIES LANGUAGE CXX)
target_link_libraries(stacks PRIVATE hip::device)
"""
VOTES = {32: "49249249", 64: "9249249249249249"}


def checked(program: Path, target: str, lanes: int, cache: Path) -> None:
    done = emulated("--emulate", target, str(program), cwd=program.parent, cache=cache)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{VOTES[lanes]} 0 wrong\n", "")


def test_wavefronts_of_64_lanes_on_rdna_built_by_hipcc(cache: Path, tmp_path: Path) -> None:
    # Up to ROCm 5 the headers refuse the combination by these macros only.
    command = ["hipcc", "--offload-arch=gfx1030", "-U__gfx1030__", "-mwavefrontsize64", str(SOURCE), "-o", "stacks"]
    done = subprocess.run(command, cwd=tmp_path, env=amd_environment(), capture_output=True, text=True, check=False)
    if "with wavefront size 64" in done.stderr:
        pytest.skip("HIP's headers refuse wavefronts of 64 lanes on RDNA from ROCm 6 on")
    assert done.returncode == 0, done.stderr
    checked(tmp_path / "stacks", "gfx1030", 64, cache)


def test_a_program_built_by_cmake(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(LISTS.format(source=SOURCE))
    options = ("-DGPU_TARGETS=gfx90a;gfx1030", "-DAMDGPU_TARGETS=gfx90a;gfx1030", "-DCMAKE_BUILD_TYPE=Release")
    for command in (["cmake", "-B", "build", *options, "-DCMAKE_CXX_COMPILER=hipcc"], ["cmake", "--build", "build"]):
        subprocess.run(command, cwd=tmp_path, env=amd_environment(), check=True, capture_output=True)
    checked(tmp_path / "build" / "stacks", "gfx90a", 64, cache)
    checked(tmp_path / "build" / "stacks", "gfx1030", 32, cache)
