"""Finding CUDA."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest

from hipport.errors import HipportError
from hipport.toolchain.cuda import find_cuda
from hipport.toolchain.places import Surroundings
from tests.builds.nvidia.fakes import program

PACKAGES = sysconfig.get_path("purelib").lstrip("/")


def nvcc(root: Path, folder: str, release: str) -> Surroundings:
    """An nvcc that reports a release and is not on PATH."""
    program(root, "nvcc", f"echo Cuda compilation tools, release {release}, V{release}.88", folder)
    return Surroundings({"PATH": ""}, root)


@pytest.mark.parametrize("folder", ["usr/local/cuda/bin", "usr/local/cuda-12.4/bin", f"{PACKAGES}/nvidia/cu13/bin"])
def test_places(tmp_path: Path, folder: str) -> None:
    found = find_cuda(nvcc(tmp_path, folder, "12.4"))
    assert (found.nvcc, found.release) == (tmp_path / folder / "nvcc", (12, 4))


def test_the_environment_comes_first_then_path_then_the_newest(tmp_path: Path) -> None:
    for folder, release in (("own/bin", "11.8"), ("path", "12.1"), ("usr/local/cuda-12.9/bin", "12.9")):
        nvcc(tmp_path, folder, release)
    where = nvcc(tmp_path, "usr/local/cuda-13.0/bin", "13.0")
    assert find_cuda(where).release == (13, 0)
    path = Surroundings({"PATH": str(tmp_path / "path")}, tmp_path)
    assert find_cuda(path).release == (12, 1)
    home = Surroundings({"PATH": str(tmp_path / "path"), "CUDA_HOME": str(tmp_path / "own")}, tmp_path)
    assert find_cuda(home).release == (11, 8)
    assert find_cuda(home, str(tmp_path / "path/nvcc")).release == (12, 1)


def test_none(tmp_path: Path) -> None:
    where = Surroundings({"PATH": ""}, tmp_path)
    with pytest.raises(HipportError, match="no nvcc found for the NVIDIA target") as caught:
        find_cuda(where)
    assert "CUDA_HOME" in str(caught.value.hint)
    with pytest.raises(HipportError, match="no nvcc-12 found"):
        find_cuda(where, "nvcc-12")
    with pytest.raises(HipportError, match="cannot run"):
        find_cuda(where, str(tmp_path / "nvcc"))


def test_releases_that_will_not_do(tmp_path: Path) -> None:
    with pytest.raises(HipportError, match=r"nvcc 10\.2 .* is too old"):
        find_cuda(nvcc(tmp_path, "usr/local/cuda/bin", "10.2"))
    program(tmp_path, "nvcc", "echo hello", "usr/local/cuda/bin")
    with pytest.raises(HipportError, match="does not report its CUDA release"):
        find_cuda(Surroundings({"PATH": ""}, tmp_path))
