from __future__ import annotations

from pathlib import Path

import pytest

from hipport.errors import HipportError, UsageError
from hipport.toolchain.compilers import describe
from hipport.toolchain.native import native_targets, resolve_native
from hipport.toolchain.places import Surroundings
from hipport.toolchain.process import amd_environment
from hipport.toolchain.tools import find_tool
from tests.toolchain.fakes import compiler, program


def test_the_tool_of_the_compilers_own_llvm_comes_first(tmp_path: Path) -> None:
    for release in ("15", "19"):
        program(tmp_path / f"usr/lib/llvm-{release}/bin/clang-offload-bundler")
    clang = describe(compiler(tmp_path / "usr/bin/clang++-15", "15.0.6", ["gfx90a"]))
    where = Surroundings({"PATH": ""}, tmp_path)
    assert "llvm-15" in str(find_tool("clang-offload-bundler", where, clang))
    assert "llvm-19" in str(find_tool("clang-offload-bundler", where))


def test_the_tool_of_another_release_beside_the_compiler_is_passed_over(tmp_path: Path) -> None:
    program(tmp_path / "usr/bin/llvm-dis")
    program(tmp_path / "usr/bin/llvm-dis-15")
    hipcc = describe(compiler(tmp_path / "usr/bin/hipcc", "15.0.6", ["gfx90a"], hip="5.2.0"))
    where = Surroundings({"PATH": ""}, tmp_path)
    assert find_tool("llvm-dis", where, hipcc).name == "llvm-dis-15"
    (tmp_path / "usr/bin/llvm-dis-15").unlink()
    assert find_tool("llvm-dis", where, hipcc).name == "llvm-dis"


def test_the_clang_behind_hipcc_brings_its_tools(tmp_path: Path) -> None:
    rocm = tmp_path / "opt/rocm/lib/llvm/bin"
    for folder in (rocm, tmp_path / "usr/lib/llvm-18/bin"):
        program(folder / "llvm-objcopy")
    clang = compiler(rocm / "clang-18", "18.0.0", ["gfx942"])
    hipcc = describe(compiler(tmp_path / "opt/rocm/bin/hipcc", "18.0.0", [], hip="6.3.1", front_end=clang))
    assert find_tool("llvm-objcopy", Surroundings({"PATH": ""}, tmp_path), hipcc) == rocm / "llvm-objcopy"


def test_a_tool_with_its_release_in_its_name_is_found(tmp_path: Path) -> None:
    path = program(tmp_path / "usr/bin/clang-offload-bundler-15")
    assert find_tool("clang-offload-bundler", Surroundings({"PATH": ""}, tmp_path)) == path


def test_a_missing_tool_is_named_with_its_packages(tmp_path: Path) -> None:
    with pytest.raises(HipportError, match="cannot find clang-offload-bundler") as caught:
        find_tool("clang-offload-bundler", Surroundings({"PATH": ""}, tmp_path))
    assert "apt-get install hipcc" in str(caught.value.hint)


ROCMINFO = """#!/bin/sh
echo '  Name:                    AMD EPYC'
echo '  Name:                    gfx90a'
echo '      Name:                    amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-'
echo '  Name:                    gfx90a'
echo '  Name:                    gfx1100'
"""


def test_native_means_every_kind_of_gpu_once(tmp_path: Path) -> None:
    program(tmp_path / "usr/bin/rocminfo", ROCMINFO)
    where = Surroundings({"PATH": ""}, tmp_path)
    assert native_targets(where) == ["gfx90a", "gfx1100"]
    assert resolve_native(["gfx942,native"], where) == ["gfx942", "gfx90a", "gfx1100"]


def test_native_without_a_gpu_says_so(tmp_path: Path) -> None:
    program(tmp_path / "usr/bin/rocminfo", "#!/bin/sh\necho ROCk module is NOT loaded\nexit 1\n")
    with pytest.raises(HipportError, match="no AMD GPU in this machine") as caught:
        native_targets(Surroundings({"PATH": ""}, tmp_path))
    assert "ROCk module is NOT loaded" in str(caught.value.hint)
    assert not isinstance(caught.value, UsageError)


def test_rocminfo_is_not_asked_unless_native_is_written(tmp_path: Path) -> None:
    assert resolve_native(["gfx90a, gfx1100"], Surroundings({"PATH": ""}, tmp_path)) == ["gfx90a", "gfx1100"]


def test_commands_run_for_the_amd_platform_whatever_the_user_has_set() -> None:
    assert amd_environment({"HIP_PLATFORM": "nvidia", "A": "b"}) == {"HIP_PLATFORM": "amd", "A": "b"}


def test_a_versioned_link_is_followed_to_the_folder_of_its_release(tmp_path: Path) -> None:
    program(tmp_path / "opt/llvm/bin/clang-offload-bundler")
    link = tmp_path / "usr/bin/clang-offload-bundler-19"
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / "opt/llvm/bin/clang-offload-bundler")
    found = find_tool("clang-offload-bundler", Surroundings({"PATH": ""}, tmp_path))
    assert found == tmp_path / "opt/llvm/bin/clang-offload-bundler"
