"""Faults planted on the machine that runs the tests, found by the installed command with the real tools."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hipport.toolchain.cmake import needs_toolchain_file, toolchain_file
from hipport.toolchain.hip import find_hip
from hipport.toolchain.places import Surroundings
from tests import served
from tests.doctor.plant import gcc
from tests.llvm_releases import HIPCC
from tests.small_hip import SMALL_HIP
from tests.toolchain.fakes import file, program

pytestmark = [pytest.mark.toolchain]

NVCC = """\
#!/bin/sh
[ "$1" = --version ] || { echo 'nvcc fatal: this is no compiler' >&2; exit 1; }
"""
CHOSEN = ("HIP_PLATFORM", "ROCM_PATH", "HIP_PATH", "HIP_DEVICE_LIB_PATH", "LD_LIBRARY_PATH")
FOR_CMAKE = {"CMAKE_TOOLCHAIN_FILE": str(toolchain_file())} if needs_toolchain_file(Surroundings()) else {}
BASE = {
    **{name: value for name, value in os.environ.items() if name not in CHOSEN},
    "HIP_PLATFORM": "amd",
    **FOR_CMAKE,
}
SMALL = {**BASE, **SMALL_HIP}
"""For all but one test: what doctor compiles includes the small HIP."""

Findings = dict[str, list[dict[str, Any]]]


def doctor(*arguments: str, folder: Path, environ: dict[str, str]) -> tuple[int, Findings]:
    """Run `hipport doctor`; return its exit status and its problems by check."""
    command = ("doctor", "--json", "--build-only", "--offload-arch", "gfx90a")
    done = served.hipport(*command, *arguments, cwd=folder, env=environ)
    assert done.stdout, done.stderr
    results = json.loads(done.stdout)["results"]
    found = {each["check"]: [f for f in each["findings"] if f["level"] != "ok"] for each in results}
    for installed in ("mpi", "python-packages"):  # what else is installed here is not ours to say
        found.pop(installed, None)
    return done.returncode, {check: findings for check, findings in found.items() if findings}


@pytest.mark.slow
def test_nvcc_first_on_path(tmp_path: Path) -> None:
    program(tmp_path / "bin/nvcc", NVCC)
    program(tmp_path / "bin/clang++", "#!/bin/sh\nexit 1\n")  # where it can be run hipcc takes AMD's platform
    environ = {**BASE, "PATH": f"{tmp_path}/bin:{BASE['PATH']}", "CUDA_PATH": str(tmp_path)}
    fixed = doctor(folder=tmp_path, environ=environ)
    del environ["HIP_PLATFORM"]
    status, found = doctor(folder=tmp_path, environ=environ)
    assert (status, found["hip-platform"][0]["fix"]) == (1, "export HIP_PLATFORM=amd")
    assert found["compile"][0]["message"].startswith(
        "hipcc alone does not build for gfx90a: nvcc fatal: this is no compiler"
    )
    assert fixed == (0, {})


@pytest.mark.slow
def test_rocm_path_at_another_release(tmp_path: Path) -> None:
    other = tmp_path / "rocm"
    file(other / "include/hip/hip_runtime.h")
    numbers = (("MAJOR", 6), ("MINOR", 0), ("PATCH", 32830))
    file(other / "include/hip/hip_version.h", "".join(f"#define HIP_VERSION_{n} {v}\n" for n, v in numbers))
    status, found = doctor(folder=tmp_path, environ={**SMALL, "ROCM_PATH": str(other)})
    assert status == 1
    assert f"6.0.32830 ({other})" in found["rocm-versions"][0]["message"]
    root = found["rocm-versions"][0]["fix"].removeprefix("export ROCM_PATH=")
    assert "rocm-versions" not in doctor(folder=tmp_path, environ={**SMALL, "ROCM_PATH": root})[1]


@pytest.mark.slow
def test_device_libraries_without_the_processor(tmp_path: Path) -> None:
    libraries = tmp_path / "bitcode"
    libraries.mkdir()
    for path in find_hip(Surroundings(BASE)).device_libraries.glob("*.bc"):
        if path.name != "oclc_isa_version_90a.bc":
            (libraries / path.name).symlink_to(path)
    environ = {**SMALL, "HIP_DEVICE_LIB_PATH": str(libraries)}
    status, found = doctor(folder=tmp_path, environ=environ)
    assert status == 1
    assert found["device-libraries"][0]["fix"] == "unset HIP_DEVICE_LIB_PATH"
    file(tmp_path / "k.hip", "__attribute__((global)) void k() {}\n")
    command = [
        f"clang++-{HIPCC}",
        "-nogpuinc",
        "--offload-arch=gfx90a",
        "--offload-device-only",
        "-c",
        "k.hip",
        "-o",
        "k",
    ]
    said = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)
    assert "cannot find ROCm device library for gfx90a" in said.stderr, "clang sees it alike"


@pytest.mark.slow
def test_a_tree_that_includes_what_is_not_here(tmp_path: Path) -> None:
    file(tmp_path / "tree/a.cu", "#include <cufft.h>\n#include <curand.h>\nint main() {}\n")
    status, found = doctor("tree", folder=tmp_path, environ=SMALL)
    if any(Path(root, "hipfft/hipfft.h").exists() for root in ("/usr/include", "/opt/rocm/include")):
        assert (status, found) == (0, {})
        return
    assert (status, list(found)) == (1, ["tree-libraries"])
    assert "<hipfft/hipfft.h>, which 1 file in tree needs" in found["tree-libraries"][0]["message"]
    file(tmp_path / "tree/a.cu", "#include <curand.h>\nint main() {}\n")
    assert doctor("tree", folder=tmp_path, environ=SMALL) == (0, {})


def test_clang_takes_the_gcc_that_the_check_says(tmp_path: Path) -> None:
    gcc(tmp_path, "12")
    gcc(tmp_path, "13", libstdcxx=False)
    triple = f"{platform.machine()}-linux-gnu"
    clang = next(Path("/usr/bin").glob("clang++-*"))
    command = [clang, f"--target={triple}", f"--sysroot={tmp_path}", "--gcc-toolchain=", "-v"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    (selected,) = [line for line in said.splitlines() if line.startswith("Selected GCC installation")]
    assert selected.endswith(f"/gcc/{triple}/13")


@pytest.mark.slow
@pytest.mark.skipif(not FOR_CMAKE, reason="HIP is not packaged by a distribution here")
def test_what_a_plain_cmake_says_is_what_doctor_says(tmp_path: Path) -> None:
    environ = {name: value for name, value in SMALL.items() if name != "CMAKE_TOOLCHAIN_FILE"}
    file(tmp_path / "p/CMakeLists.txt", "cmake_minimum_required(VERSION 3.21)\nproject(p LANGUAGES CXX HIP)\n")
    command = ["cmake", "-S", "p", "-B", "b", "-DCMAKE_HIP_ARCHITECTURES=gfx90a"]
    plain = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, check=False)
    status, found = doctor(folder=tmp_path, environ=environ)
    assert status == 0
    assert ("cmake" in found) == (plain.returncode != 0)
