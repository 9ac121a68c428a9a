"""The commands of a build for NVIDIA GPUs."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from hipport.builds.nvidia.commands import NvidiaPlanner
from hipport.builds.nvidia.targets import parse_targets
from hipport.builds.plan import BuildPlan
from hipport.builds.request import CompileSettings, Language, OutputKind, Unit
from hipport.support import include_dir

UNITS = [Unit("k.hip", "k.hip", "k", Language.HIP), Unit("a.cpp", "a.cpp", "a", Language.CXX)]


def plan(kind: OutputKind = OutputKind.EXECUTABLE, units: list[Unit] = UNITS, **settings: object) -> BuildPlan:
    made = CompileSettings(include_dirs=("mine", str(include_dir())), **settings)  # type: ignore[arg-type]
    headers = {"hipblas/hipblas.h": "text"}
    planner = NvidiaPlanner(
        Path("/cuda/bin/nvcc"), made, parse_targets(["sm_80,sm_90"]), "out", kind, headers, ("z.o",)
    )
    return planner.plan(units)


def pairs(command: tuple[str, ...], option: str) -> list[str]:
    return [value for word, value in itertools.pairwise(command) if word == option]


def test_a_compile_per_unit_for_all_targets_and_a_link() -> None:
    made = plan()
    hip, host, link = (step.command for step in made.steps)
    assert [step.title for step in made.steps] == ["k.hip for sm_80, sm_90", "a.cpp for the host", "link"]
    assert pairs(hip, "-x") == ["cu"]
    assert pairs(host, "-x") == ["c++"]
    assert sum(word.startswith("--generate-code") for word in hip) == 2
    assert not any(word.startswith("--generate-code") or word == "--extended-lambda" for word in host)
    assert pairs(hip, "-include") == ["hip/hip_runtime.h"]
    assert pairs(host, "-include") == []
    assert "-D__HIP_PLATFORM_NVIDIA__" in hip
    assert "-D__HIP_PLATFORM_NVIDIA__" in host
    assert {"out/k/nvidia.o", "out/a/nvidia.o", "z.o"} <= set(link)
    assert made.files == (("out/cuda/hipblas/hipblas.h", "text"),)


def test_hipports_headers_come_before_those_of_an_installed_hip() -> None:
    command = plan().steps[0].command
    assert "-Imine" in command
    assert pairs(command, "-isystem") == [str(include_dir() / "cuda"), "out/cuda", str(include_dir())]


@pytest.mark.parametrize(
    ("clang", "nvcc"),
    [
        ("-fcuda-approx-transcendentals", ["--use_fast_math"]),
        ("-fgpu-flush-denormals-to-zero", ["--ftz=true"]),
        ("-fno-hip-fp32-correctly-rounded-divide-sqrt", ["--prec-div=false", "--prec-sqrt=false"]),
        ("-ffp-contract=off", ["--fmad=false", "-Xcompiler", "-ffp-contract=off"]),
    ],
)
def test_options_for_arithmetic_are_nvccs(clang: str, nvcc: list[str]) -> None:
    for command in (plan(both=(clang,)).steps[0].command, plan(device=(clang,)).steps[0].command):
        assert clang not in command or nvcc[-1] == clang
        place = command.index(nvcc[0])
        assert list(command[place : place + len(nvcc)]) == nvcc


def test_flags_go_to_the_compiler_that_knows_them() -> None:
    both = ("-Wall", "-fno-exceptions", "-ffast-math", "-march=native", "--maxrregcount=32")
    made = plan(
        both=both, device=("-lineinfo",), host=("-pipe",), link=("-Wl,-rpath,/x", "-lm", "-L/y", "-static-libgcc")
    )
    hip, host, link = (step.command for step in made.steps)
    assert pairs(hip, "-Xcompiler") == ["-Wall", "-fno-exceptions", "-march=native", "-pipe"]
    assert {"--use_fast_math", "--maxrregcount=32", "-lineinfo"} <= set(hip)
    assert "-lineinfo" not in host
    assert pairs(link, "-Xlinker") == ["-rpath,/x"]
    assert {"-lm", "-L/y"} <= set(link)
    assert pairs(link, "-Xcompiler") == ["-static-libgcc"]


def test_debug_keeps_optimized_device_code() -> None:
    command = plan(debug=True, optimize="2").steps[0].command
    assert {"-g", "-lineinfo", "-O2"} <= set(command)
    assert "-G" not in command


def test_a_shared_library() -> None:
    made = plan(OutputKind.SHARED)
    assert pairs(made.steps[0].command, "-Xcompiler") == ["-fPIC"]
    assert "-shared" in made.steps[-1].command


def test_a_fat_binary_is_one_compile() -> None:
    made = plan(OutputKind.FAT_BINARY, UNITS[:1])
    assert len(made.steps) == 1
    assert "--fatbin" in made.steps[0].command
    assert made.product == made.steps[0].output


def test_c_has_no_standard_of_cxx() -> None:
    command = plan(units=[Unit("b.c", "b.c", "b", Language.C)]).steps[0].command
    assert pairs(command, "-x") == ["c"]
    assert not any(word.startswith("-std") for word in command)


def test_folders_of_a_translation_come_first_and_last() -> None:
    unit = Unit("k.cu", "out/k.cu", "k", Language.HIP, ("first",), ("a, b",))
    command = plan(units=[unit]).steps[0].command
    assert command.index("-Ifirst") < command.index("-Imine")
    assert pairs(command, "-Xcompiler") == ["-idirafter", "a, b"]
