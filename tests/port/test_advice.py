"""Advice about build errors whose cause lies outside the sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.port.advice import advice
from hipport.port.failures import Failure

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
        ("'Python.h' file not found", "CPATH"),
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
    assert expected in advice(Failure("/x", 1, 1, message), str(tmp_path))
