"""Kernels whose threads run together give the results of threads that run one after the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.translate.for_cpu.convert import standard_cxx
from tests.cpu.conftest import COMPILERS, PROGRAMS, Builder, combined
from tests.cpu.random_kernels import program

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

KERNELS = 8
PROGRAM = PROGRAMS / "regions.hip"


@pytest.mark.parametrize(("seed", "compiler"), combined(("0", "1"), COMPILERS))
def test_random_kernels(seed: str, compiler: str, built: Builder, tmp_path: Path) -> None:
    source = tmp_path / "random.hip"
    text = program(int(seed), KERNELS)
    source.write_text(text)
    rewritten = standard_cxx(text.encode(), "random.hip", together=True).decode()
    assert rewritten.count("HIPPORT_REGIONS") > KERNELS // 2
    alone = built([source], "-O", "0").run()
    together = built([source], "--compiler", compiler, "-O", "2").run()
    assert (together.returncode, together.stdout) == (alone.returncode, alone.stdout)
    assert alone.stdout.count("\n") == KERNELS


@pytest.mark.parametrize(("wave", "compiler"), combined(("64", "32"), COMPILERS))
def test_kernels_side_by_side(wave: str, compiler: str, built: Builder) -> None:
    done = built([PROGRAM], "--compiler", compiler, "--wave-size", wave).run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 wrong\n", "")


def test_the_same_kernels_alone(built: Builder) -> None:
    done = built([PROGRAM], "--compiler", "g++", "-O", "2", "--", "-DHIPPORT_NO_REGIONS").run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 wrong\n", "")


def test_a_fault_names_the_first_thread_with_it(built: Builder) -> None:
    done = built([PROGRAM], "--compiler", "clang++", "--wave-size", "64").run("fault")
    assert done.returncode == -11
    assert "kernel store, block (0, 0, 0), thread (0, 0, 0): segmentation fault" in done.stderr


def test_a_barrier_that_a_macro_of_a_header_hides_stops_the_program(built: Builder, tmp_path: Path) -> None:
    (tmp_path / "hidden.h").write_text("#define all_here (__syncthreads(), 1)\n")
    source = tmp_path / "hidden.hip"
    source.write_text(
        '#include <hip/hip_runtime.h>\n#include "hidden.h"\n'
        "__global__ void k(int* out) { out[threadIdx.x] = all_here; }\n"
        "int main() { int out[64]; hipLaunchKernelGGL(k, dim3(1), dim3(64), 0, 0, out); }\n"
    )
    done = built([source]).run()
    assert done.returncode == 70
    assert "__syncthreads at" in done.stderr
    assert "build with -DHIPPORT_NO_REGIONS" in done.stderr
