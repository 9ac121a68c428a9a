"""Variables of anonymous namespaces for old compilers: what clang makes of them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from hipport.mappings.choice import NameChoice
from hipport.mappings.loader import load_choice
from hipport.translate.context import Context, Options
from hipport.translate.convert import convert_source
from tests.llvm_releases import RELEASES

_WORDS = (
    "#define __constant__ __attribute__((constant))\n#define __device__ __attribute__((device))\n"
    "#define __global__ __attribute__((global))\n"
)
_SOURCE = """
namespace {
__constant__ int alone = 3;
__constant__ float array[2] = {1.f, 2.f};
__device__ int count = 9;
__constant__ const int* table;
struct Pair { int a, b; };
__constant__ Pair pair = {4, 5};
namespace inner { __constant__ int deep = 6; }
}
namespace named { namespace { __constant__ int hidden = 7; } }
int write(const void* symbol);
int written = write(&alone) + write(&array) + write(&count) + write(&pair) + write(&table) + write(&inner::deep) +
              write(&named::hidden);
__global__ void kernel(int* p) {
    p[0] = alone; p[1] = array[1]; p[2] = count; p[3] = pair.b;
    p[4] = table[0]; p[5] = inner::deep; p[6] = named::hidden;
}
"""
_VISIBLE = re.compile(r"^@\S*?(\w+?)E = .*externally_initialized", re.MULTILINE)


def visible(folder: Path, source: str, release: int) -> set[str]:
    """Return the variables that the host may write in the device code of a source."""
    path = folder / "a.hip"
    path.write_text(_WORDS + source)
    command = [f"clang++-{release}", "-x", "hip", "-nogpulib", "-nogpuinc", "--cuda-device-only", "-w", "-O3", "-S"]
    command += ["--offload-arch=gfx90a", "-emit-llvm", str(path), "-o", "-"]
    made = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    names = {"alone", "array", "count", "pair", "table", "deep", "hidden"}
    return {name for name in names for found in _VISIBLE.findall(made) if found.endswith(name)}


@pytest.mark.toolchain
@pytest.mark.parametrize("release", RELEASES)
def test_the_host_writes_what_kernels_read(tmp_path: Path, release: int) -> None:
    tables = load_choice(NameChoice(rocm="5.2"))
    made = convert_source(_SOURCE.encode(), "a.cu", Context(tables, Options())).data.decode()
    made = made.replace("#include <hip/hip_runtime.h>", "")
    assert len(visible(tmp_path, made, release)) == 7
    if release < 17:  # otherwise the translation need not change them
        assert visible(tmp_path, _SOURCE, release) == set()
