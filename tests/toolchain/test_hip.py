from __future__ import annotations

from pathlib import Path

import pytest

from hipport.errors import HipportError
from hipport.toolchain.hip import find_hip
from hipport.toolchain.places import Surroundings
from tests.toolchain.fakes import bitcode, file

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


def test_device_libraries_are_those_that_the_compiler_can_read(tmp_path: Path) -> None:
    where = debian(tmp_path)
    (tmp_path / "usr/lib/x86_64-linux-gnu/amdgcn/bitcode/ocml.bc").unlink()
    for release in ("17", "21"):
        folder = tmp_path / f"usr/lib/llvm-{release}/lib/clang/{release}/amdgcn/bitcode"
        folder.mkdir(parents=True)
        (folder / "ocml.bc").write_bytes(bitcode(int(release)))
    for clang, release in (("", "21"), ("21.1.8", "21"), ("22.1.0", "21"), ("19.1.7", "17"), ("15.0.6", "21")):
        assert find_hip(where, clang).device_libraries.parts[-3] == release, clang


def test_the_installation_whose_hipcc_is_on_path_comes_before_others(tmp_path: Path) -> None:
    debian(tmp_path)
    for name in ("bin/hipcc", "include/hip/hip_runtime.h", "lib/libamdhip64.so", "amdgcn/bitcode/ocml.bc"):
        file(tmp_path / "opt/rocm" / name)
        file(tmp_path / "modules/rocm-6.4" / name)
    file(tmp_path / "usr/bin/hipcc")
    for path, root in (("modules/rocm-6.4/bin", "modules/rocm-6.4"), ("usr/bin", "opt/rocm"), ("none", "opt/rocm")):
        where = Surroundings({"PATH": str(tmp_path / path)}, tmp_path)
        assert find_hip(where).root == tmp_path / root, path


@pytest.mark.parametrize(
    ("gone", "package"),
    [
        ("usr/include/hip/hip_runtime.h", "libamdhip64-dev"),
        ("usr/lib/x86_64-linux-gnu/libamdhip64.so", "libamdhip64-dev"),
        ("usr/lib/x86_64-linux-gnu/amdgcn/bitcode/ocml.bc", "apt-get install hipcc"),
    ],
)
def test_what_is_missing_is_named_with_its_package(tmp_path: Path, gone: str, package: str) -> None:
    where = debian(tmp_path)
    (tmp_path / gone).unlink()
    with pytest.raises(HipportError, match="cannot find") as caught:
        find_hip(where)
    assert package in str(caught.value.hint)
