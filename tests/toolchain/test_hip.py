from __future__ import annotations

from pathlib import Path

import pytest

from hipport.errors import HipportError
from hipport.toolchain.hip import find_hip
from hipport.toolchain.places import Surroundings
from tests.toolchain.fakes import file

VERSION = "#define HIP_VERSION_MAJOR 6\n#define HIP_VERSION_MINOR 2\n#define HIP_VERSION_PATCH 41133\n"


def debian(root: Path) -> Surroundings:
    file(root / "usr/include/hip/hip_runtime.h")
    file(root / "usr/include/hip/hip_version.h", VERSION)
    file(root / "usr/lib/x86_64-linux-gnu/libamdhip64.so")
    file(root / "usr/lib/x86_64-linux-gnu/amdgcn/bitcode/ocml.bc")
    return Surroundings({}, root)


def test_debian_layout(tmp_path: Path) -> None:
    hip = find_hip(debian(tmp_path))
    library = tmp_path / "usr/lib/x86_64-linux-gnu"
    assert (hip.root, hip.version) == (tmp_path / "usr", "6.2.41133")
    assert (hip.include, hip.library) == (tmp_path / "usr/include", library)
    assert hip.device_libraries == library / "amdgcn/bitcode"


def test_rocm_layout_comes_before_debian(tmp_path: Path) -> None:
    debian(tmp_path)
    rocm = tmp_path / "opt/rocm"
    for name in ("include/hip/hip_runtime.h", "lib/libamdhip64.so", "amdgcn/bitcode/ocml.bc"):
        file(rocm / name)
    hip = find_hip(Surroundings({}, tmp_path))
    assert (hip.root, hip.library, hip.version) == (rocm, rocm / "lib", "")
    assert hip.device_libraries == rocm / "amdgcn/bitcode"


def test_rocm_path_comes_first(tmp_path: Path) -> None:
    debian(tmp_path)
    for name in ("include/hip/hip_runtime.h", "lib/libamdhip64.so", "lib/llvm/lib/clang/17/lib/amdgcn/bitcode/ocml.bc"):
        file(tmp_path / "mine" / name)
    hip = find_hip(Surroundings({"ROCM_PATH": str(tmp_path / "mine")}, tmp_path))
    assert hip.root == tmp_path / "mine"
    assert "clang/17" in str(hip.device_libraries)


def test_device_libraries_may_be_named_by_a_variable(tmp_path: Path) -> None:
    where = debian(tmp_path)
    file(tmp_path / "bitcode/ocml.bc")
    named = Surroundings({"HIP_DEVICE_LIB_PATH": str(tmp_path / "bitcode")}, where.root)
    assert find_hip(named).device_libraries == tmp_path / "bitcode"


@pytest.mark.parametrize(
    ("gone", "package"),
    [
        ("usr/include/hip/hip_runtime.h", "libamdhip64-dev"),
        ("usr/lib/x86_64-linux-gnu/libamdhip64.so", "libamdhip64-dev"),
        ("usr/lib/x86_64-linux-gnu/amdgcn/bitcode/ocml.bc", "rocm-device-libs"),
    ],
)
def test_what_is_missing_is_named_with_its_package(tmp_path: Path, gone: str, package: str) -> None:
    where = debian(tmp_path)
    (tmp_path / gone).unlink()
    with pytest.raises(HipportError, match="cannot find") as caught:
        find_hip(where)
    assert package in str(caught.value.hint)
