"""The installed command `hipport build DIR` with real compilers and a real ccache."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from hipport.builds.amd.pipeline import target_ids
from tests import small_hip
from tests.cli.test_build import built
from tests.llvm_releases import NEWER

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

PROJECT = """\
[targets.kernels]
kind = "static"
sources = ["src/kernel.cu"]
include-dirs = ["include"]
defines = ["FACTOR=3"]

[targets.app]
sources = ["src/main.cpp"]
include-dirs = ["include"]
libraries = ["kernels"]
"""
SEPARATE = '[targets.separate]\nsources = ["src/call*.cu"]\nrdc = true\n'
FILES = {
    "include/scale.h": "float scale(float value);\n",
    "src/kernel.cu": """\
#include <cuda_runtime.h>
#include "scale.h"
__global__ void k(float* value) { *value *= FACTOR; }
float scale(float value) {
  float* memory;
  if (cudaMallocManaged(&memory, sizeof(float)) != cudaSuccess) return -1;
  *memory = value;
  k<<<1, 1>>>(memory);
  (void)cudaDeviceSynchronize();
  return *memory;
}
""",
    "src/main.cpp": '#include <cstdio>\n#include "scale.h"\nint main() { std::printf("%g\\n", scale(5)); }\n',
    "src/callee.cu": "__device__ int twice(int value) { return 2 * value; }\n",
    "src/caller.cu": """\
#include <cuda_runtime.h>
#include <cstdio>
extern __device__ int twice(int value);
__global__ void call(int* out) { *out = twice(21); }
int main() {
  int* out;
  if (cudaMallocManaged(&out, sizeof(int)) != cudaSuccess) return 3;
  call<<<1, 1>>>(out);
  (void)cudaDeviceSynchronize();
  std::printf("%d\\n", *out);
}
""",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / "p" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "p" / name).write_text(text)
    return tmp_path


def describe(folder: Path, text: str) -> None:
    (folder / "p/hipport.toml").write_text(text)


def output(program: Path) -> str:
    return subprocess.run([program], capture_output=True, text=True, check=False).stdout


def test_a_library_and_a_program_on_the_cpu(folder: Path) -> None:
    describe(folder, PROJECT)
    built("p", "--target", "cpu", cwd=folder)
    assert output(folder / "p/build/app") == "15\n"
    os.utime(folder / "p/src/main.cpp")
    again = built("p", "--target", "cpu", cwd=folder)
    assert again.stdout.splitlines() == [f"p/build/{name}: nothing to do" for name in ("libkernels.a", "app")]


def test_separate_compilation_on_the_cpu(folder: Path) -> None:
    describe(folder, SEPARATE)
    built("p", "--target", "cpu", "-o", "out", cwd=folder)
    assert output(folder / "out/separate") == "42\n"


@pytest.mark.parametrize("compiler", ["hipcc", f"clang++-{NEWER}"])
def test_separate_compilation_for_two_targets(folder: Path, compiler: str) -> None:
    describe(folder, SEPARATE)
    options = ("--offload-arch", "gfx90a,gfx1030", "--compiler", compiler)
    done = small_hip.built("p", *options, "-o", "out", cwd=folder)
    assert target_ids(folder / "out/separate") == {"gfx90a", "gfx1030"} and "executable stack" not in done.stderr
    describe(folder, SEPARATE.replace("rdc = true", ""))
    assert "build failed" in small_hip.hipport("p", *options, "-o", "without", cwd=folder).stderr


def test_ccache_answers_for_the_compilers_and_knows_what_is_embedded(folder: Path) -> None:
    assert shutil.which("ccache"), "scripts/install_tools.sh test installs it"
    cache = {"CCACHE_DIR": str(folder / "cache")}
    options = ("p", "--offload-arch", "gfx90a", "--launcher", "ccache", "-o", "out")
    describe(folder, PROJECT)

    def hits() -> int:
        printed = subprocess.run(["ccache", "--print-stats"], env=os.environ | cache, capture_output=True, text=True)
        counts = dict(line.split("\t") for line in printed.stdout.splitlines())
        return int(counts["direct_cache_hit"]) + int(counts["preprocessed_cache_hit"])

    small_hip.built(*options, cwd=folder, **cache)
    first = (folder / "out/app").read_bytes()
    assert hits() == 0
    shutil.rmtree(folder / "out")
    small_hip.built(*options, cwd=folder, **cache)
    assert hits() == 3 and (folder / "out/app").read_bytes() == first
    small_hip.built(*options, "-X", "-DFACTOR=4", "-X", "-UFACTOR", "-X", "-DFACTOR=5", cwd=folder, **cache)
    assert hits() == 3, "other device code, which only a file that the host's compile embeds tells"
    assert (folder / "out/app").read_bytes() != first


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["p"], "no target named"),
        (["p", "--target", "cpu", "--shared"], "--shared applies to sources"),
        (["p", "--target", "cpu", "--dry-run"], "--dry-run applies to sources"),
        (["p/src", "--target", "cpu"], "'p/src' has no hipport.toml"),
        (["p", "--target", "cpu", "--launcher", "nonesuch"], "cannot find the launcher nonesuch"),
        (["p/src/main.cpp", "--target", "cpu"], "Missing option '-o'"),
    ],
)
def test_wrong_use(folder: Path, arguments: list[str], message: str) -> None:
    describe(folder, PROJECT)
    done = small_hip.hipport(*arguments, cwd=folder)
    assert done.returncode in (1, 2) and message in done.stderr and "Traceback" not in done.stderr
