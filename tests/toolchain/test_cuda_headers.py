"""Finding the headers of CUDA and of compilers."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest

from hipport.toolchain.cuda_headers import compiler_include_dirs, cuda_include_dirs
from hipport.toolchain.places import Surroundings

PACKAGES = sysconfig.get_path("purelib").lstrip("/") + "/nvidia"


def touch(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ([], []),
        (["usr/local/cuda/include/cuda.h"], []),
        (["usr/local/cuda/include/cuda_runtime.h"], ["usr/local/cuda/include"]),
        (["usr/local/cuda-9.2/include/cuda_runtime.h", "usr/local/cuda-12.4/include/cuda_runtime.h"],
         ["usr/local/cuda-12.4/include"]),
        (["opt/cuda/include/cuda_runtime.h", "opt/cuda/include/cccl/cub/cub.cuh"],
         ["opt/cuda/include", "opt/cuda/include/cccl"]),
        (["opt/cuda/targets/x86_64-linux/include/cuda_runtime.h"], ["opt/cuda/targets/x86_64-linux/include"]),
        ([f"{PACKAGES}/cu13/include/cuda_runtime.h", f"{PACKAGES}/cublas/include/cublas_v2.h"],
         [f"{PACKAGES}/cu13/include"]),
        ([f"{PACKAGES}/cuda_runtime/include/cuda_runtime.h", f"{PACKAGES}/cublas/include/cublas_v2.h"],
         [f"{PACKAGES}/cublas/include", f"{PACKAGES}/cuda_runtime/include"]),
    ],
)  # fmt: skip
def test_cuda(files: list[str], expected: list[str], tmp_path: Path) -> None:
    touch(tmp_path, *files)
    assert cuda_include_dirs(Surroundings({}, tmp_path)) == tuple(tmp_path / folder for folder in expected)


def test_the_variables_come_first_and_may_be_wrong(tmp_path: Path) -> None:
    touch(tmp_path, "usr/local/cuda/include/cuda_runtime.h", "mine/include/cuda_runtime.h")
    for home, found in (("mine", "mine/include"), ("wrong", "usr/local/cuda/include")):
        where = Surroundings({"CUDA_HOME": str(tmp_path / home)}, tmp_path)
        assert cuda_include_dirs(where) == (tmp_path / found,)


def test_compilers(tmp_path: Path) -> None:
    assert compiler_include_dirs(Surroundings({}, tmp_path)) == ()
    touch(
        tmp_path, "usr/lib/llvm-9/lib/clang/9/include/immintrin.h", "usr/lib/llvm-15/lib/clang/15/include/immintrin.h"
    )
    touch(tmp_path, "usr/lib/llvm-19/lib/clang/19/include/other.h", "usr/lib/gcc/x86_64-linux-gnu/12/include/omp.h")
    assert compiler_include_dirs(Surroundings({}, tmp_path)) == (
        tmp_path / "usr/lib/llvm-15/lib/clang/15/include",
        tmp_path / "usr/lib/gcc/x86_64-linux-gnu/12/include",
    )
