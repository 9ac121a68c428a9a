"""Faults planted on a faultless machine: exactly one check finds each, and following its advice removes it."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from hipport.doctor.checks import driver
from hipport.doctor.findings import JoinGroups, Level, SetVariable
from hipport.doctor.run import all_checks, diagnose
from tests.doctor.plant import Planted, gcc, rocm
from tests.toolchain.fakes import compiler, file, program

NVCC = "#!/bin/sh\necho release 12.4\n"


def test_a_healthy_machine_has_no_findings_and_most_checks_say_why(planted: Planted) -> None:
    assert planted.problems() == {}
    spoke = {result.check for result in diagnose(planted.machine()) if result.findings}
    quiet = {check.name for check in all_checks()} - spoke
    assert quiet == {"tree-libraries", "library-kernels", "python-packages"}, "these look at what is not there"


def test_nvcc_and_no_platform(planted: Planted) -> None:
    program(planted.root / "usr/bin/nvcc", NVCC)
    found = planted.only("hip-platform")
    assert (found.level, found.fix) == (Level.ERROR, SetVariable("HIP_PLATFORM", "amd"))
    assert "nvidia" in found.message and "usr/bin/nvcc" in found.message
    assert planted.repaired(HIP_PLATFORM="amd").problems() == {}


def test_a_platform_that_was_chosen_wrongly(planted: Planted) -> None:
    found = planted.repaired(HIP_PLATFORM="nvidia").only("hip-platform")
    assert "HIP_PLATFORM is nvidia" in found.message
    assert planted.repaired(HIP_PLATFORM="amd").problems() == {}


def test_a_variable_that_leads_to_another_release(planted: Planted) -> None:
    other = rocm(planted.root / "opt/rocm-6.0.0", "6.0.0")
    (other / "bin/hipcc").unlink()
    found = planted.repaired(ROCM_PATH=str(other)).problems()["rocm-versions"][0]
    assert found.level is Level.ERROR
    assert "belongs to ROCm 6.3.1" in found.message and "6.0.0" in found.message
    assert found.fix == SetVariable("ROCM_PATH", str(planted.root / "opt/rocm"))
    assert planted.repaired(ROCM_PATH=str(planted.root / "opt/rocm")).problems() == {}


@pytest.mark.parametrize(("made", "said"), [(True, "does not contain HIP"), (False, "does not exist")])
def test_a_variable_that_leads_nowhere(planted: Planted, made: bool, said: str) -> None:
    folder = planted.root / "opt/gone"
    if made:
        folder.mkdir()
    found = planted.repaired(HIP_PATH=str(folder)).only("rocm-versions")
    assert said in found.message and found.fix == SetVariable("HIP_PATH", None)
    assert planted.repaired(HIP_PATH=None).problems() == {}


def test_two_releases_and_no_choice(planted: Planted) -> None:
    rocm(planted.root / "opt/rocm-6.0.0", "6.0.0")
    found = planted.only("rocm-versions")
    assert found.level is Level.WARNING and "6.3.1" in found.message and "6.0.0" in found.message
    assert planted.repaired(ROCM_PATH=str(planted.root / "opt/rocm")).problems() == {}


def test_links_to_one_installation_are_no_second_one(planted: Planted) -> None:
    (planted.root / "opt/rocm").rename(planted.root / "opt/rocm-6.3.1")
    (planted.root / "opt/rocm").symlink_to("rocm-6.3.1")
    assert planted.problems() == {}


def test_no_compiler_and_no_hip(planted: Planted) -> None:
    shutil.rmtree(planted.root / "opt/rocm")
    problems = planted.problems()
    assert [finding.level for finding in problems["compilers"]] == [Level.ERROR, Level.ERROR]
    assert "apt-get install hipcc" in problems["compilers"][0].advice
    rocm(planted.root / "opt/rocm")
    assert planted.problems() == {}


def test_a_clang_of_another_release(planted: Planted) -> None:
    hipcc = planted.root / "opt/rocm/bin/hipcc"
    compiler(hipcc, "15.0.6", ["gfx90a", "gfx1100"], hip="6.3.1-42")
    found = planted.repaired(HIP_CLANG_PATH="/usr/lib/llvm-15/bin").only("compilers")
    assert "comes with clang 18, but hipcc runs clang 15.0.6, because HIP_CLANG_PATH" in found.message
    assert found.fix == SetVariable("HIP_CLANG_PATH", None)
    assert "rocm-llvm" in planted.repaired(HIP_CLANG_PATH=None).only("compilers").advice


def test_a_hipcc_whose_clang_is_gone(planted: Planted) -> None:
    hipcc = planted.root / "opt/rocm/bin/hipcc"
    healthy = hipcc.read_text()
    program(hipcc, '#!/bin/sh\necho HIP version: 6.3.1\necho "Can\'t exec clang" >&2\n')
    compiler(planted.root / "usr/bin/clang++", "18.0.0", ["gfx90a", "gfx1100"])
    assert f"{hipcc} does not work: Can't exec clang" in planted.only("compilers").message
    found = planted.repaired(HIP_CLANG_PATH="/x").only("compilers")
    assert "with HIP_CLANG_PATH=/x" in found.message and found.fix == SetVariable("HIP_CLANG_PATH", None)
    program(hipcc, healthy)
    assert planted.repaired(HIP_CLANG_PATH=None).problems() == {}


def test_a_check_that_is_not_let_in(planted: Planted, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: object) -> None:
        raise PermissionError(13, "Permission denied", "/dev/kfd")

    monkeypatch.setattr(driver, "run", refused)
    assert planted.only("driver").message == "cannot be checked: /dev/kfd: Permission denied"


def test_a_processor_without_device_library(planted: Planted) -> None:
    missing = planted.root / "opt/rocm/amdgcn/bitcode/oclc_isa_version_1100.bc"
    missing.unlink()
    found = planted.only("device-libraries")
    assert found.level is Level.WARNING and "gfx1100" in found.message and "gfx90a" not in found.message
    file(missing)
    assert planted.problems() == {}


def test_a_variable_that_leads_to_libraries_without_a_processor(planted: Planted) -> None:
    folder = planted.root / "other"
    file(folder / "ocml.bc")
    found = planted.repaired(HIP_DEVICE_LIB_PATH=str(folder)).only("device-libraries")
    assert found.level is Level.ERROR and found.fix == SetVariable("HIP_DEVICE_LIB_PATH", None)
    assert planted.repaired(HIP_DEVICE_LIB_PATH=None).problems() == {}


def test_device_libraries_of_a_newer_llvm(planted: Planted) -> None:
    bitcode = planted.root / "opt/rocm/amdgcn/bitcode/ocml.bc"
    bitcode.write_bytes(producer("LLVM19.0.0git"))
    found = planted.only("device-libraries")
    assert found.level is Level.ERROR and "bitcode of LLVM 19" in found.message
    bitcode.write_bytes(producer("LLVM17.0.0git"))
    assert planted.problems() == {}


def producer(name: str) -> bytes:
    """Return the beginning of a bitcode file, whose producer does not start at a byte boundary."""
    alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._"
    bits = sum(alphabet.index(letter) << (6 * index) for index, letter in enumerate(name))
    return b"BC\xc0\xde" + (bits << 131).to_bytes(60, "little")


def test_a_target_that_no_compiler_knows(planted: Planted) -> None:
    found = replace(planted, targets="gfx90a,gfx1201").problems()
    assert found["gfx-targets"][0].level is Level.ERROR
    assert "LLVM 18 or newer" in found["gfx-targets"][0].advice
    compiler(planted.root / "usr/bin/clang++-19", "19.1.7", ["gfx1201"])
    found = replace(planted, targets="gfx90a,gfx1201").problems()
    assert found["gfx-targets"][0].level is Level.WARNING
    assert str(planted.root / "usr/bin/clang++-19") in found["gfx-targets"][0].advice


def test_a_newer_gcc_without_its_library(planted: Planted) -> None:
    gcc(planted.root, "9", libstdcxx=False)
    assert planted.problems() == {}, "clang takes the newest"
    gcc(planted.root, "13", libstdcxx=False)
    found = planted.only("host-compiler")
    assert "gcc 13" in found.message and found.advice == "apt-get install libstdc++-13-dev"
    gcc(planted.root, "13")
    assert planted.problems() == {}


def test_no_gcc(planted: Planted) -> None:
    shutil.rmtree(planted.root / "usr/lib/gcc")
    assert planted.only("host-compiler").advice == "apt-get install g++"


def test_a_library_that_the_tree_includes(planted: Planted) -> None:
    planted.tree = planted.root / "tree"
    file(planted.tree / "a.cu", "#include <cufft.h>\n#include <cublas_v2.h>\n// #include <nccl.h>\n")
    file(planted.root / "opt/rocm/include/hipblas/hipblas.h")
    found = planted.only("tree-libraries")
    assert found.level is Level.ERROR and "<hipfft/hipfft.h>, which 1 file" in found.message
    assert "hipfft-dev" in found.advice
    file(planted.root / "opt/rocm/include/hipfft/hipfft.h")
    assert planted.problems() == {}
    file(planted.tree / "b.cu", "#include <cudnn.h>\n")  # becomes one of hipport's headers, which includes MIOpen's
    assert "<miopen/miopen.h>, which 1 file" in planted.only("tree-libraries").message


def test_a_library_without_kernels_for_a_target(planted: Planted) -> None:
    folder = planted.root / "opt/rocm/lib/rocblas/library"
    file(folder / "TensileLibrary_gfx90a.co")
    found = planted.only("library-kernels")
    assert "no kernels for gfx1100" in found.message and "gfx90a" in found.advice
    file(folder / "Kernels.so-000-gfx1100.hsaco")
    assert planted.problems() == {}


@pytest.mark.parametrize("version", ["3.20.6", "2.8.12"])
def test_an_old_cmake(planted: Planted, version: str) -> None:
    program(planted.root / "usr/bin/cmake", f"#!/bin/sh\necho cmake version {version}\n")
    assert "3.21" in planted.only("cmake").advice
    program(planted.root / "usr/bin/cmake", "#!/bin/sh\necho cmake version 4.0.0\n")
    assert planted.problems() == {}


def test_a_tree_for_cmake_without_cmake(planted: Planted) -> None:
    (planted.root / "usr/bin/cmake").unlink()
    planted.repaired(PATH=f"{planted.root}/opt/rocm/bin:{planted.root}/usr/bin")
    assert "cmake" not in planted.problems()
    planted.tree = planted.root / "tree"
    file(planted.tree / "CMakeLists.txt")
    assert planted.problems()["cmake"][0].advice == "apt-get install cmake"


def test_no_description_of_the_language_for_cmake(planted: Planted) -> None:
    (planted.root / "opt/rocm/lib/cmake/hip-lang/hip-lang-config.cmake").unlink()
    assert "hip-lang-config.cmake" in planted.only("cmake").message


def test_mpi_without_rocm(planted: Planted) -> None:
    program(planted.root / "usr/bin/ucx_info", "#!/bin/sh\necho '#      Transport: posix'\n")
    found = planted.only("mpi")
    assert "does not support AMD GPUs" in found.message and "UCX 1.15.0 or newer" in found.advice
    planted.tree = file(planted.root / "tree/a.cu", "#include <mpi.h>\n").parent
    assert planted.only("mpi") == found
    program(planted.root / "usr/bin/ompi_info", "#!/bin/sh\necho 'mca:accelerator:rocm:version:5.0'\n")
    assert planted.problems() == {}


def test_a_tree_with_mpi_and_no_mpi(planted: Planted) -> None:
    (planted.root / "usr/bin/ompi_info").unlink()
    planted.tree = file(planted.root / "tree/a.cu", "int main() {}\n").parent
    assert planted.problems() == {}
    file(planted.tree / "b.cpp", "#include <mpi.h>\n")
    assert "mpicc is not on PATH" in planted.only("mpi").message
    program(planted.root / "usr/bin/mpicc")
    assert planted.problems() == {}


def test_no_driver(planted: Planted) -> None:
    shutil.rmtree(planted.root / "sys/module/amdgpu")
    assert "amdgpu is not loaded" in planted.only("driver").message
    assert not any(result.check == "driver" for result in diagnose(planted.machine(), build_only=True))


@pytest.mark.parametrize(("gone", "said"), [("dev/kfd", "/dev/kfd does not exist"), ("dev/dri/renderD128", "renderD")])
def test_a_container_without_devices(planted: Planted, gone: str, said: str) -> None:
    (planted.root / gone).unlink()
    found = planted.only("driver")
    assert said in found.message and "--device" in found.advice


def test_a_driver_of_another_release(planted: Planted) -> None:
    status = planted.root / "var/lib/dpkg/status"
    file(status, "Package: amdgpu-dkms\nStatus: installed\nVersion: 1:6.3.6.60002-1718217.22.04\n\nPackage: x\n")
    assert "6.0 was tested with ROCm 5.6" in planted.only("driver").message
    file(status, "Package: amdgpu-dkms\nStatus: installed\nVersion: 1:6.8.5.60200-2009582.22.04\n")
    assert planted.problems() == {}


def test_a_user_outside_of_the_groups(planted: Planted) -> None:
    member = planted.user
    planted.user = replace(member, groups=frozenset())
    found = planted.only("groups")
    assert found.fix == JoinGroups("ada", ("render",))
    assert found.advice == "sudo usermod -aG render ada; then log in again"
    planted.user = member
    assert planted.problems() == {}


def test_a_group_without_a_name(planted: Planted) -> None:
    file(planted.root / "etc/group", "root:x:77777:\n")
    assert planted.problems() == {}, "the number counts"
    planted.user = replace(planted.user, groups=frozenset())
    found = planted.only("groups")
    assert found.advice == f"In a container: --group-add {os.getgid()}" and found.fix is None


def test_root_and_open_devices_need_no_group(planted: Planted) -> None:
    planted.user = replace(planted.user, groups=frozenset())
    for name in ("dev/kfd", "dev/dri/renderD128"):
        (planted.root / name).chmod(0o666)
    assert planted.problems() == {}
    (planted.root / "dev/kfd").chmod(0o660)
    assert list(planted.problems()) == ["groups"]
    planted.user = replace(planted.user, uid=0)
    assert planted.problems() == {}


@pytest.mark.parametrize(
    ("name", "value", "level"),
    [
        ("HIP_VISIBLE_DEVICES", "", Level.ERROR),
        ("ROCR_VISIBLE_DEVICES", "-1", Level.ERROR),
        ("HSA_OVERRIDE_GFX_VERSION", "10.3.0", Level.WARNING),
    ],
)
def test_variables_of_the_runtime(planted: Planted, name: str, value: str, level: Level) -> None:
    found = planted.repaired(**{name: value}).only("gpu-variables")
    assert (found.level, found.fix) == (level, SetVariable(name, None))
    assert planted.repaired(**{name: None}).problems() == {}


@pytest.mark.parametrize("value", ["0", "0,1", "GPU-4b2c1a9f"])
def test_gpus_that_were_chosen_are_in_order(planted: Planted, value: str) -> None:
    assert planted.repaired(HIP_VISIBLE_DEVICES=value).problems() == {}


def test_stale_folders_of_the_loader(planted: Planted) -> None:
    lib = planted.root / "opt/rocm/lib"
    found = planted.repaired(LD_LIBRARY_PATH=f"{planted.root}/opt/rocm-5.0/lib:{lib}").only("library-paths")
    assert found.fix == SetVariable("LD_LIBRARY_PATH", str(lib))
    assert planted.repaired(LD_LIBRARY_PATH=str(lib)).problems() == {}
    file(planted.root / "etc/ld.so.conf.d/old.conf", "/opt/rocm-5.0/lib\n")
    assert "old.conf" in planted.only("library-paths").message


def test_the_runtime_of_another_release(planted: Planted) -> None:
    other = rocm(planted.root / "home/rocm", "5.7.0")
    found = planted.repaired(LD_LIBRARY_PATH=f"{other}/lib").only("library-paths")
    assert (found.level, found.fix) == (Level.ERROR, SetVariable("LD_LIBRARY_PATH", None))
    assert planted.repaired(LD_LIBRARY_PATH=None).problems() == {}


def test_a_runtime_that_the_loader_does_not_find(planted: Planted) -> None:
    (planted.root / "etc/ld.so.conf.d/rocm.conf").unlink()
    lib = str(planted.root / "opt/rocm/lib")
    assert planted.only("library-paths").fix == SetVariable("LD_LIBRARY_PATH", lib)
    assert planted.repaired(LD_LIBRARY_PATH=lib).problems() == {}


def test_hipcc_outside_of_path(planted: Planted) -> None:
    bin_folder, path = str(planted.root / "opt/rocm/bin"), f"{planted.root}/usr/bin"
    found = planted.repaired(PATH=path).only("paths")
    assert found.fix == SetVariable("PATH", f"{bin_folder}:{path}")
    assert planted.repaired(PATH=f"{bin_folder}:{path}").problems() == {}


def test_a_temporary_folder_that_is_gone(planted: Planted) -> None:
    found = planted.repaired(TMPDIR=str(planted.root / "gone")).only("disk-space")
    assert found.fix == SetVariable("TMPDIR", None)


def test_packages_for_another_distribution(planted: Planted) -> None:
    release = file(planted.root / "etc/os-release", "ID=ubuntu\nVERSION_ID=25.10\n")
    assert "do not support ubuntu 25.10" in planted.only("system-release").message
    release.write_text("ID=debian\nVERSION_ID=12\n")
    assert planted.problems() == {}


def package(planted: Planted, name: str, version: str) -> Path:
    folder = planted.root / "site-packages" / f"{name}-{version}.dist-info"
    folder.mkdir()
    return folder


@pytest.mark.parametrize(
    ("name", "version", "level", "said"),
    [
        ("jax_rocm60_plugin", "0.4.35", None, "ROCm 6.0"),
        ("jaxlib", "0.4.16+rocm560", Level.ERROR, "JAX 0.4.16+rocm560 was built for ROCm 5.6"),
        ("jax_cuda12_plugin", "0.4.35", Level.WARNING, "JAX 0.4.35 is built for CUDA 12"),
        ("jaxlib", "0.4.35", Level.WARNING, "JAX 0.4.35 is built for CPUs only"),
        ("cupy_rocm_5_0", "13.0.0", Level.ERROR, "CuPy 13.0.0 was built for ROCm 5.0"),
        ("cupy_cuda12x", "13.0.0", Level.WARNING, "CuPy 13.0.0 is built for CUDA 12"),
        ("tensorflow_rocm", "2.14.0.600", None, "ROCm 6.0"),
        ("tensorflow", "2.17.0", Level.WARNING, "TensorFlow 2.17.0 is built for CUDA"),
        ("numpy", "2.1.0", None, ""),
    ],
)
def test_python_packages(planted: Planted, name: str, version: str, level: Level | None, said: str) -> None:
    installed = package(planted, name, version)
    if level is None:
        results = {result.check: result.findings for result in diagnose(planted.machine())}
        assert planted.problems() == {}
        assert said in "".join(finding.message for finding in results["python-packages"])
        return
    found = planted.only("python-packages")
    assert found.level is level and said in found.message and "for ROCm 6.3" in found.advice
    installed.rmdir()
    assert planted.problems() == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "__version__ = '2.4.0+cu121'\ncuda: Optional[str] = '12.1'\nhip: Optional[str] = None\n",
            "built for CUDA 12.1",
        ),
        ("cuda: Optional[str] = None\nhip: Optional[str] = None\n", "built for CPUs only"),
        ("cuda: Optional[str] = None\nhip: Optional[str] = '6.1.40091-a8db'\n", "ROCm 6.1 and ships its own libraries"),
    ],
)
def test_pytorch(planted: Planted, text: str, said: str) -> None:
    package(planted, "torch", "2.4.0")
    version = file(planted.root / "site-packages/torch/version.py", text)
    found = planted.only("python-packages")
    assert found.level is Level.WARNING and said in found.message
    assert "tested: 1.13, 2.2, 2.3, 2.4" in found.advice and "whl/rocm6.3" in found.advice
    version.write_text("cuda: Optional[str] = None\nhip: Optional[str] = '6.3.42131-fa1d'\n")
    assert planted.problems() == {}


def test_a_compiler_that_does_not_compile(planted: Planted) -> None:
    hipcc = planted.root / "opt/rocm/bin/hipcc"
    healthy = hipcc.read_text()
    program(hipcc, healthy.replace("in\n", 'in\n*--offload-arch=gfx1100*) echo "error: no" >&2; exit 1 ;;\n', 1))
    found = planted.only("compile")
    assert found.level is Level.ERROR and "cannot be built for gfx1100: error: no" in found.message
    program(hipcc, healthy)
    assert planted.problems() == {}


def test_a_plain_cmake_that_does_not_configure_and_one_with_a_toolchain_file(planted: Planted) -> None:
    script = """\
#!/bin/sh
[ "$1" = --version ] && { echo cmake version 3.31.6; exit 0; }
case "$CMAKE_TOOLCHAIN_FILE $*" in *distribution.cmake*) exit 0;; esac
printf 'CMake Error at x (message):\\n  /usr does not contain the HIP runtime CMake package\\n\\nCall Stack:\\n' >&2
exit 1
"""
    program(planted.root / "usr/bin/cmake", script)
    found = planted.only("cmake")
    assert found.level is Level.WARNING
    assert "fails: /usr does not contain the HIP runtime CMake package" in found.message
    assert isinstance(found.fix, SetVariable) and found.fix.name == "CMAKE_TOOLCHAIN_FILE"
    assert planted.repaired(CMAKE_TOOLCHAIN_FILE=found.fix.value).problems() == {}


def test_a_cmake_that_configures_nothing(planted: Planted) -> None:
    script = '#!/bin/sh\n[ "$1" = --version ] && { echo cmake version 3.31.6; exit 0; }\nexit 1\n'
    program(planted.root / "usr/bin/cmake", script)
    assert planted.only("cmake").level is Level.ERROR
