"""Compiler flags on hipport's command line."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from hipport.buildfiles.tables import load_build_tables
from hipport.cli.build import command
from hipport.cli.flags import split_flags
from tests.cli.test_build import hipport


def split(text: str) -> tuple[str, str]:
    ours, flags = split_flags(shlex.split(text), command.params)
    return shlex.join(ours), shlex.join(flags)


@pytest.mark.parametrize(
    ("text", "ours", "flags"),
    [
        ("a.cu -o a -lcublas -l cufft -g -O2 -Ia -Wall", "a.cu -o a -lcublas -l cufft -g -O2 -Ia -Wall", ""),
        ("-arch=sm_70 a.cu -gencode arch=a,code=b -o a", "a.cu -o a", "-arch=sm_70 -gencode arch=a,code=b"),
        ("-Xcompiler -fopenmp -Xlinker -s -XDEVICE", "-XDEVICE", "-Xcompiler -fopenmp -Xlinker -s"),
        ("-fopenmp -march=native -pthread -lineinfo", "", "-fopenmp -march=native -pthread -lineinfo"),
        ("-isystem inc -include x.h a.cu", "a.cu", "-isystem inc -include x.h"),
        ("--link-flag -arch -D -lineinfo --host-flag=-fx", "--link-flag -arch -D -lineinfo --host-flag=-fx", ""),
        ("-fatbin -keep -dryrun --mpi", "--genco --save-temps --dry-run --mpi", ""),
        ("-o -fopenmp -", "-o -fopenmp -", ""),
    ],
)
def test_what_is_for_hipport_and_what_for_compilers(text: str, ours: str, flags: str) -> None:
    assert split(text) == (ours, flags)


def test_no_option_of_nvcc_in_the_tables_is_one_of_hipports() -> None:
    own = {name for each in command.params for name in each.opts}
    shared = own & load_build_tables().options.keys()
    assert shared == {"--cuda", "--sanitize"}, "hipport's own come first"
    for name, option in load_build_tables().options.items():
        if name in shared:
            continue
        ours, flags = split_flags([name, *(["x"] if option.value == "separate" else []), "a.cu"], command.params)
        assert ours[-1] == "a.cu" and len(ours) + len(flags) in (2, 3), name


SOURCE = """\
#include <curand.h>
#include <cstdio>
__global__ void k(float *p) { p[threadIdx.x] *= 2; }
int main() {
  int n = 0;
#pragma omp parallel reduction(+ : n)
  n += 1;
  curandGenerator_t generator;
  k<<<1, 1>>>(nullptr);
  std::printf("%d\\n", n);
  return static_cast<int>(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT));
}
"""


@pytest.mark.toolchain
@pytest.mark.slow
@pytest.mark.parametrize("compiler", ["hipcc", "clang++"])
def test_a_build_for_amd_gpus_with_the_command_line_of_nvcc(tmp_path: Path, compiler: str) -> None:
    (tmp_path / "a.cu").write_text(SOURCE)
    text = "-arch=sm_70 -L/usr/local/cuda/lib64 -I/usr/local/cuda/include -lcurand -lcudart -lcuda -lculibos -dc"
    more = "--use_fast_math --expt-relaxed-constexpr --cudart=static -Xcompiler -Wall -Xlinker -lm -lineinfo"
    options = ("-o", "a", "--offload-arch", "gfx90a", "--compiler", compiler)
    done = hipport("a.cu", *options, *shlex.split(f"{text} {more}"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    needed = subprocess.run(["readelf", "-d", tmp_path / "a"], capture_output=True, text=True, check=True).stdout
    assert "libhiprand.so" in needed and "libamdhip64.so" in needed and "libcu" not in needed


@pytest.mark.toolchain
@pytest.mark.slow
@pytest.mark.parametrize("flags", ["-fopenmp", "-Xcompiler -fopenmp -lgomp", "-- -fopenmp", "-- -Xcompiler=-fopenmp"])
def test_openmp_on_the_cpu_runs_as_many_threads_as_asked_for(tmp_path: Path, flags: str) -> None:
    (tmp_path / "a.cu").write_text(SOURCE.replace("k<<<1, 1>>>(nullptr);", ""))
    done = hipport("a.cu", "-o", "a", "--target", "cpu", "-lcurand", *flags.split(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    ran = subprocess.run([tmp_path / "a"], env={"OMP_NUM_THREADS": "3"}, capture_output=True, text=True, check=True)
    assert ran.stdout == "3\n"


@pytest.mark.toolchain
@pytest.mark.slow
def test_a_project_with_openmp_and_a_library_by_cudas_name(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(SOURCE.replace("k<<<1, 1>>>(nullptr);", ""))
    text = '[targets.a]\nsources = ["a.cu"]\nlibraries = ["curand", "cudart"]\nopenmp = true\n'
    (tmp_path / "hipport.toml").write_text(text)
    done = hipport(".", "--target", "cpu", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    program = tmp_path / "build/a"
    ran = subprocess.run([program], env={"OMP_NUM_THREADS": "2"}, capture_output=True, text=True, check=True)
    assert ran.stdout == "2\n"
