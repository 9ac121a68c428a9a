"""A constant named `warpSize` is renamed in front of HIP's headers and behind them, in every spelling of it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from hipport.mappings.choice import NameChoice
from hipport.mappings.loader import load_choice
from hipport.project.request import Mode
from hipport.project.run import run
from hipport.support import include_dir
from hipport.translate.context import Context, Options
from hipport.translate.conversion import Conversion
from hipport.translate.convert import convert_source
from tests.project.fake import build, request

DEFINITIONS = (
    "#define warpSize 32",
    "#define warpSize (1 << 5)",
    "#ifndef warpSize\n#define warpSize 32u\n#endif",
    "const int warpSize = 32;",
    "static const unsigned warpSize = 32;",
    "constexpr int warpSize{32};",
    "enum { warpSize = 32 };",
)
INCLUDE = "#include <cuda_runtime.h>\n#include <cooperative_groups.h>\n"
USES = """
template <int N> struct Box { int values[N]; };
__global__ void kNUMBER(int* out) {
  __shared__ int values[warpSize];
  Box<warpSize * 2> box;
  int lane = threadIdx.x % warpSize, v = out[lane];
  for (int d = warpSize / 2; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
  values[lane] = v;
  __syncwarp();
  box.values[lane] = values[0];
  out[threadIdx.x / warpSize] = box.values[lane] + HALF;
}
#define HALF (warpSize / 2)
"""


def sources() -> list[str]:
    """Return each definition in front of the includes and behind them."""
    texts = []
    for number, definition in enumerate(DEFINITIONS):
        uses = USES.replace("NUMBER", str(number)).replace(" + HALF", "")
        texts += [f"{definition}\n{INCLUDE}{uses}", f"{INCLUDE}{definition}\n{uses}"]
    return texts


def converted(text: str, foreign: frozenset[str] = frozenset()) -> Conversion:
    context = Context(load_choice(NameChoice(rocm="5.2")), Options(), foreign=foreign)
    return convert_source(text.encode(), "warps.cu", context)


@pytest.mark.parametrize("text", sources(), ids=range(len(sources())))
def test_no_alarm_and_no_use_of_the_builtin(text: str) -> None:
    made = converted(text)
    assert not re.search(rb"\bwarpSize\b", made.data)
    assert {found.code for found in made.diagnostics} <= {"HP205"}


@pytest.mark.slow
@pytest.mark.toolchain
def test_it_compiles(tmp_path: Path) -> None:
    assert shutil.which("hipcc"), "hipcc is missing"
    for number, text in enumerate(sources()):
        (tmp_path / f"{number}.hip").write_bytes(converted(text).data)
    command = ["hipcc", "--cuda-device-only", "-fsyntax-only", "--offload-arch=gfx90a", "-std=c++17", "-w"]
    files = [str(tmp_path / f"{number}.hip") for number in (0, 1, 6, 7, 13)]
    done = subprocess.run(
        ["env", "HIP_PLATFORM=amd", *command, f"-I{include_dir()}", *files], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_the_definition_may_be_in_another_file() -> None:
    text = '#include "sizes.h"\n__global__ void k(int* out) { out[threadIdx.x % warpSize] = 1; }\n'
    assert b"warp_size_32" in converted(text, frozenset({"warpSize=32"})).data
    assert b"% warpSize" in converted(text).data


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void k(int* out) { out[threadIdx.x % warpSize] = 1; }",
        "int f(int warpSize) { return warpSize; }",
        "int f() { const int warpSize = 32; return warpSize; }\n__device__ int g() { return warpSize; }",
        "#define warpSize 64\n__device__ int g() { return warpSize; }",
        "int f(const cudaDeviceProp& p) { return p.warpSize; }",
    ],
)
def test_others_stay(text: str) -> None:
    assert b"warp_size_32" not in converted(text).data


def test_a_constant_in_a_namespace_is_meant_there(tmp_path: Path) -> None:
    header = "#pragma once\nnamespace cu::common { constexpr int warpSize = 32; }\n"
    source = """#include "sizes.h"
__global__ void k(int* p) { p[0] = cu::common::warpSize; p[1] = warpSize; p[2] = ::warpSize; }
namespace cu::common { __global__ void j(int* p) { p[0] = warpSize; } }
"""
    member = """struct Traits { static constexpr int warpSize = 32; __device__ int get() { return warpSize; } };
__global__ void k(int* p) { p[0] = Traits::warpSize; p[1] = warpSize; }
"""
    build(tmp_path / "tree", {"sizes.h": header, "a.cu": source, "b.cu": member})
    run(request(Mode.OUTPUT, tmp_path / "tree", folder=str(tmp_path / "out")), lambda done, total: None, convert_source)
    assert "constexpr int warp_size_32 = 32;" in (tmp_path / "out" / "sizes.h").read_text()
    translated = (tmp_path / "out" / "a.hip").read_text()
    assert "p[0] = cu::common::warp_size_32; p[1] = warpSize; p[2] = ::warpSize;" in translated
    assert "j(int* p) { p[0] = warp_size_32; }" in translated
    assert member in (tmp_path / "out" / "b.hip").read_text()


def test_a_constant_with_a_value_for_each_compiler_is_constant() -> None:
    values = "#ifdef __HIPCC__\n{0} = 64;\n#else\n{0} = 32;\n#endif\n".format("static constexpr int warpSize")
    text = f"struct S {{\n{values}using Mask = Chosen<warpSize == 32>;\n}};\n__global__ void k();\n"
    found = convert_source(text.encode(), "a.cuh", Context(load_choice(NameChoice(rocm="6.4")))).diagnostics
    assert "HP218" not in [each.code for each in found]
