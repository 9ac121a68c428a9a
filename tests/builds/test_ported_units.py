"""Units that are HIP already by the project's own port are compiled as they are, with all that they include."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hipport.builds.amd import pipeline as amd
from hipport.builds.cpu import pipeline as cpu
from hipport.builds.nvidia import pipeline as nvidia
from hipport.builds.ported_units import Ported, ported_units
from hipport.builds.request import BuildRequest, CompileSettings
from hipport.builds.workspace import Workspace
from hipport.mappings.loader import Tables
from hipport.toolchain.places import Surroundings

TYPES = """#pragma once
#ifdef __HIPCC__
#include <hip/hip_runtime.h>
using gpuStream_t = hipStream_t;
#else
#include <cuda_runtime.h>
using gpuStream_t = cudaStream_t;
#endif
"""
SHUFFLES = """#pragma once
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define LANES 0u
template <typename T>
__forceinline__ __device__ T __shfl_down(T input, int delta) {
  return __shfl_down_sync(LANES, input, delta);
}
#endif
"""
"""Has no branch for HIP: what HIP's compilers see of it is empty."""
PORTED = """#include "shuffles.h"
#include "types.h"
__global__ void k(int* v) { *v = __shfl_down(*v, 1); }
void launch(int* v, gpuStream_t s) { k<<<1, 64, 0, s>>>(v); }
"""
CUDA = """#include "shuffles.h"
#include <cuda_runtime.h>
__global__ void c(int* v) { *v = 1; }
void start(int* v, cudaStream_t s) { c<<<1, 64, 0, s>>>(v); }
"""
HEADERS = {"inc/shuffles.h": SHUFFLES, "inc/types.h": TYPES}
SETTINGS = CompileSettings(include_dirs=("inc",))


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tree(files: dict[str, str]) -> None:
    for name, text in (HEADERS | files).items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)


def found(tables: Tables, *sources: str, settings: CompileSettings = SETTINGS) -> Ported:
    return ported_units(sources, settings, tables)


def test_a_ported_unit_is_found_with_its_headers(tables: Tables) -> None:
    tree({"a.cu": PORTED})
    everything = frozenset({"a.cu", "inc/shuffles.h", "inc/types.h"})
    ported = found(tables, "a.cu")
    assert ported == Ported(frozenset({"a.cu"}), everything, everything)
    assert list(ported.notes()) == ["compiling a.cu without a translation: HIP already, by the project's own port"]


def test_a_header_of_other_units_is_not_alone(tables: Tables) -> None:
    tree({"a.cu": PORTED, "b.cu": PORTED, "c.cu": CUDA})
    ported = found(tables, "a.cu", "b.cu", "c.cu")
    assert ported.units == {"a.cu", "b.cu"}
    assert ported.alone == {"a.cu", "b.cu", "inc/types.h"}
    assert "a.cu and 1 other unit" in next(ported.notes())


@pytest.mark.parametrize(
    "files",
    [
        {"a.cu": CUDA},
        {"a.cu": PORTED.replace("gpuStream_t s", "cudaStream_t s")},
        {"a.cu": PORTED.replace("__shfl_down(*v, 1)", "cudaSuccess")},
        {"a.cu": PORTED, "inc/types.h": "#pragma once\n#include <cuda_runtime.h>\nusing gpuStream_t = cudaStream_t;\n"},
        {"a.cu": '#include "leadership.h"\n' + CUDA, "inc/leadership.h": "// a relationship\n"},
    ],
    ids=["cuda", "name of CUDA's", "constant of CUDA's", "header of CUDA's", "no HIP but in words"],
)
def test_what_lacks_something_is_translated(tables: Tables, files: dict[str, str]) -> None:
    tree(files)
    assert found(tables, "a.cu") == Ported()
    assert not list(Ported().notes())


def test_a_unit_of_many_that_are_cuda_is_left_alone_only_by_macros_of_compilers(tables: Tables) -> None:
    others = {f"c{number}.cu": CUDA for number in range(3)}
    switched = {"inc/own.h": TYPES.replace("__HIPCC__", "USE_HIP"), "b.cu": PORTED.replace("types.h", "own.h")}
    apart = {"a.cu": PORTED.replace('#include "shuffles.h"\n', "")}
    tree(others | switched | apart)
    assert found(tables, "a.cu", "b.cu", *others).units == {"a.cu"}


@pytest.mark.parametrize("option", ["-UUSE_HIP", "-DUSE_HIP=0"])
def test_the_branch_for_cuda_is_translated_where_the_user_turns_the_macro_off(tables: Tables, option: str) -> None:
    tree({"a.cu": PORTED, "inc/types.h": TYPES.replace("__HIPCC__", "USE_HIP")})
    assert found(tables, "a.cu").units == {"a.cu"}
    off = CompileSettings(include_dirs=("inc",), defines=(option,))
    assert found(tables, "a.cu", settings=off) == Ported()
    other = CompileSettings(include_dirs=("inc",), defines=(option.replace("USE_HIP", "USE_HALF"),))
    assert found(tables, "a.cu", settings=other).units == {"a.cu"}


def prepared(target: str, *sources: str) -> Workspace:
    request = BuildRequest(sources, "out", (), settings=SETTINGS, jobs=1)
    if target == "cpu":
        return cpu.prepare(request, Surroundings())
    if target == "nvidia":
        return nvidia.prepare(BuildRequest(sources, "out", ("sm_80",), settings=SETTINGS, jobs=1), Surroundings())
    amd_request = BuildRequest(sources, "out", ("gfx90a",), settings=SETTINGS, compiler="clang++", jobs=1)
    return amd.prepare(amd_request, Surroundings())


def translated(build: Workspace) -> dict[str, str]:
    return {path.partition("translated/")[2]: data.decode() for path, data in build.ingested.files}


@pytest.mark.toolchain
def test_for_amd_a_ported_unit_is_compiled_from_where_it_lies() -> None:
    tree({"a.cu": PORTED, "c.cu": CUDA})
    build = prepared("amd", "a.cu", "c.cu")
    assert translated(build).keys() == {"c.cu", "inc/shuffles.h"}
    assert "__HIP_DEVICE_COMPILE__" in translated(build)["inc/shuffles.h"]
    inputs = {path for step in build.plan.steps for path in step.inputs}
    assert "a.cu" in inputs and "out.build/translated/c.cu" in inputs
    assert {"a.cu", "inc/types.h"} <= set(build.ingested.read)
    assert any("compiling a.cu without" in note for note in build.notes())


@pytest.mark.toolchain
@pytest.mark.parametrize(("others", "asked"), [((), "__CUDA_ARCH__"), (("c.cu",), "__HIP_DEVICE_COMPILE__")])
def test_for_the_cpu_headers_are_hip_where_all_units_are(others: tuple[str, ...], asked: str) -> None:
    tree({"a.cu": PORTED, "c.cu": CUDA})
    build = prepared("cpu", "a.cu", *others)
    assert {"a.cu", "inc/shuffles.h", "inc/types.h", *others} == translated(build).keys()
    assert f"#if defined({asked})" in translated(build)["inc/shuffles.h"]


@pytest.mark.toolchain
def test_the_cache_tells_a_header_as_it_is_from_its_translation() -> None:
    tree({"a.cu": PORTED, "c.cu": CUDA})
    for others, asked in (((), "__CUDA_ARCH__"), (("c.cu",), "__HIP_DEVICE_COMPILE__"), ((), "__CUDA_ARCH__")):
        build = prepared("cpu", "a.cu", *others)
        assert f"#if defined({asked})" in translated(build)["inc/shuffles.h"]
        build.write()


@pytest.mark.toolchain
def test_for_nvidia_everything_is_translated_as_before() -> None:
    tree({"a.cu": PORTED})
    build = prepared("nvidia", "a.cu")
    assert translated(build).keys() == {"a.cu", "inc/shuffles.h", "inc/types.h"}


@pytest.mark.slow
@pytest.mark.toolchain
@pytest.mark.parametrize("target", ["amd", "cpu"])
def test_a_ported_unit_compiles(target: str) -> None:
    tree({"a.cu": PORTED})
    arguments = ["--offload-arch", "gfx90a"] if target == "amd" else ["--target", "cpu"]
    command = [sys.executable, "-m", "hipport", "build", *arguments, "--static", "-I", "inc", "-o", "out.a", "a.cu"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
