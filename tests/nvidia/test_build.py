"""`hipport build --target nvidia` with nvcc, which CI lacks."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FIXTURES = Path(__file__).parents[2] / "fixtures"
BUILD = (sys.executable, "-m", "hipport", "build", "--target", "nvidia")

# nvcc is NVIDIA's, under a licence of its own, and 3 GB: CI compiles with clang against CUDA's headers instead.
needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs nvcc, which is not free software")


def build(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*BUILD, *map(str, words)], capture_output=True, text=True)


@needs_nvcc
def test_a_program_for_two_gpus(tmp_path: Path) -> None:
    source = FIXTURES / "programs/vector_add/vector_add.cu"
    done = build(source, "-o", tmp_path / "add", "--offload-arch", "sm_80,sm_90")
    assert done.returncode == 0, done.stderr
    assert "compute_90, sm_80, sm_90" in done.stdout
    again = build(source, "-o", tmp_path / "add", "--offload-arch", "sm_80,sm_90")
    assert "nothing to do" in again.stdout


@needs_nvcc
def test_a_module_for_the_driver(tmp_path: Path) -> None:
    source = FIXTURES / "programs/driver_api/module/affine.cu"
    done = build("--genco", source, "-o", tmp_path / "affine.bin", "--offload-arch", "sm_90")
    assert done.returncode == 0, done.stderr


@needs_nvcc
def test_names_that_nvcc_does_not_know_are_explained(tmp_path: Path) -> None:
    source = tmp_path / "amd.hip"
    source.write_text("#include <hip/hip_runtime.h>\n__global__ void k() { __builtin_amdgcn_s_sleep(1); }\n")
    done = build(source, "-o", tmp_path / "amd")
    assert done.returncode == 1
    assert "hipport: __builtin_amdgcn_s_sleep is only for AMD GPUs" in done.stderr
    assert not (tmp_path / "amd").exists()


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["--offload-arch", "gfx90a"], 2, "'gfx90a' is not an NVIDIA target"),
        (["--wave-size", "32"], 2, "--wave-size needs --target cpu"),
        (["--compiler", "/no/such/nvcc"], 1, "cannot run /no/such/nvcc"),
    ],
)
def test_what_cannot_be(words: list[str], status: int, said: str, tmp_path: Path) -> None:
    done = build(FIXTURES / "programs/vector_add/vector_add.cu", "-o", tmp_path / "add", *words)
    assert (done.returncode, said in done.stderr) == (status, True), done.stderr
    assert list(tmp_path.iterdir()) == []
