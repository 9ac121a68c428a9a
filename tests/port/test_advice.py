"""Advice about build errors whose cause lies outside the sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.port.advice import advice
from hipport.port.failures import Failure
from hipport.toolchain.host_packages import HostPackage, header_folder, load_host_packages

PLAIN = "Fix the source or the translation"


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ('add_subdirectory given source "third/gtest/lib" which is not an existing directory.', "third/gtest is a git"),
        ("'gtest/gtest.h' file not found", "third/gtest is a git submodule that is not checked out: git submodule"),
        ("'there/a.h' file not found", PLAIN),
        ("'omp.h' file not found", "libomp-NN-dev"),
        ("'rocprim/rocprim.hpp' file not found", "ROCm's package: rocprim-dev; Debian 12 or newer: librocprim-dev."),
        ("'hipblas/hipblas.h' file not found", "libhipblas-dev"),
        ('CPMAddPackage: Unknown CMake command "CPMAddPackage".', "The file that defines it is missing"),
        ("the package hipblas is not installed", "libhipblas-dev"),
        ("the package NotThere is not installed", PLAIN),
        ("message: You need to set variable X_DIR", "-D NAME=VALUE"),
        ("the library cutil is not installed", "If the project builds it itself"),
        ("the program g++ is not installed", "Debian: g++"),
        ("the program gen.sh is not installed", "the build files run it"),
        (
            "project: no compiler for the language CXX was found",
            "(Debian: g++), or name it with -D CMAKE_CXX_COMPILER=",
        ),
        ("message: Failed to clone repository: 'https://x/ruapu.git'", "-D FETCHCONTENT_SOURCE_DIR_RUAPU=FOLDER"),
        ("message: Build step for ruapu failed: 2", "-D FETCHCONTENT_SOURCE_DIR_RUAPU=FOLDER"),
        ("'nowhere.h' file not found", "or give its folder in the environment variable CPATH"),
        ("'netcdf.h' file not found", "Install it (Debian: libnetcdf-dev)."),
        ("'boost/version.hpp' file not found", "libboost-all-dev"),
        ("'GL/nowhere.h' file not found", "environment variable CPATH"),
        ("the package OpenCV is not installed", "(Debian: libopencv-dev), or name its folder with -D OpenCV_ROOT="),
        ("message: Could NOT find PNG (missing: PNG_LIBRARY)", "libpng-dev"),
        ("message: Could NOT find NotThere (missing: X)", PLAIN),
        ("the library fftw3f is not installed", "libfftw3-dev"),
        ("ModuleNotFoundError: No module named 'torch.utils'", "has no module torch: install it there"),
        ("OSError: CUDA_HOME environment variable is not set. Please set it to your", "install PyTorch for ROCm"),
        (
            "FileNotFoundError: [Errno 2] No such file or directory: '/opt/rocm/bin/nvcc'",
            "runs /opt/rocm/bin/nvcc itself",
        ),
        ("FileNotFoundError: [Errno 2] No such file or directory: 'nvcc'", "make it run hipcc instead"),
        ("FileNotFoundError: [Errno 2] No such file or directory: 'not-nvcc'", PLAIN),
        ("find_library: Could not find F_LIB using the following names: fftw3f_x, fftw3f", "libfftw3-dev"),
        ("find_path: Could not find F_DIR using the following files: fftw3.h", "libfftw3-dev"),
        ("find_library: Could not find X using the following names: nothere", "name it with -D NAME=FILE"),
        ("No rule to make target '/SDK/common.mk'", "It is outside the project"),
        ("No rule to make target 'src/b.cu', needed by 'b.o'", "no file b.cu, and no rule makes it: correct"),
        ("No rule to make target 'src/Table.h', needed by 'b.o'", "it has table.h"),
        ("No rule to make target 'src/a.h', needed by 'b.o'", "correct the path in the rule"),
        ("CMake compiled none of 3 translated units, and it did not find HDF5, Own", "(Debian: libhdf5-dev)"),
        ("CMake compiled none of 3 translated units; the project has the options A", "set it with -D NAME=VALUE"),
        ("make compiled none of 3 translated units; the project has the options A", "set it with -D NAME=VALUE"),
        ("CMake compiled none of 1 translated unit", "look there for an option"),
        ("possibly undefined macro: AC_MSG_ERROR", "(Debian, for those that it uses: libcurl4-openssl-dev)"),
        ("'a.h' file not found", PLAIN),
        ("use of undeclared identifier 'x'", PLAIN),
    ],
)
def test_advice(message: str, expected: str, tmp_path: Path) -> None:
    text = '[submodule "a"]\n\tpath = third/gtest\n\turl = x\n[submodule "b"]\n\tpath = there\n'
    (tmp_path / ".gitmodules").write_text(text)
    (tmp_path / "third/gtest").mkdir(parents=True)
    (tmp_path / "there").mkdir()
    (tmp_path / "there/a.h").write_text("")
    (tmp_path / "there/table.h").write_text("")
    configure = tmp_path / "configure.ac"
    configure.write_text("AC_INIT\nLIBCURL_CHECK_CONFIG(, 7.1)\ndnl PKG_CHECK\n")
    assert expected in advice(Failure(str(configure), 1, 1, message), str(tmp_path))


def test_a_header_beside_a_source_that_is_ported_alone(tmp_path: Path) -> None:
    for name in ("a.cu", "a.h"):
        (tmp_path / name).write_text("")
    (tmp_path / "sub").mkdir()
    source = str(tmp_path / "a.cu")
    said = advice(Failure(source, 1, 1, "'a.h' file not found"), source)
    assert said.endswith(f"Port the folder: hipport port {tmp_path} -o OUT")
    assert "CPATH" in advice(Failure(source, 1, 1, "'b.h' file not found"), source)
    assert "CPATH" in advice(Failure(source, 1, 1, "'sub' file not found"), source)


def test_headers_that_are_installed_where_compilers_do_not_look(tmp_path: Path) -> None:
    (tmp_path / "12/mpi").mkdir(parents=True)
    package = HostPackage("libopenmpi-dev", f"{tmp_path}/*/mpi")
    assert header_folder(package) == f"{tmp_path}/12/mpi"
    assert header_folder(HostPackage("libopenmpi-dev", f"{tmp_path}/*/other")) == ""
    assert header_folder(HostPackage("libpng-dev")) == ""


def test_the_table_of_packages_names_each_thing_once() -> None:
    table = load_host_packages()
    assert table.cmake["HDF5"].debian == table.headers["hdf5.h"].debian == table.libraries["hdf5"].debian
    assert table.of_header("opencv2/core/core.hpp") == table.cmake["OpenCV"]
