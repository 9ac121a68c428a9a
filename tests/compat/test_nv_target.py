"""`nv/target` and `cuda/cmath`: what host and device compilations choose."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hipport.support import include_dir

_FIXTURE = Path(__file__).parents[2] / "fixtures" / "pairs" / "compat" / "nv_target.cu.out"
_MAIN = """
#include <stdio.h>
int main() { printf("%d %d %d %d\\n", side(), changed(5), newest(), none()); }
"""


@pytest.mark.parametrize(("device", "chosen"), [("0", "2 13 1 5"), ("1", "1 5 60 5")])
def test_the_first_condition_that_holds_is_chosen(device: str, chosen: str, tmp_path: Path) -> None:
    source, program = tmp_path / "target.cpp", tmp_path / "target"
    functions, kernel, _ = _FIXTURE.read_text().partition("__global__")
    assert kernel
    functions = functions.replace("#include <hipport/compat/cuda_cmath.h>", "").replace("__popc(1)", "1")
    functions = functions.replace("#include <hip/hip_runtime.h>", "#define __host__\n#define __device__")
    source.write_text(functions + _MAIN)
    command = ["g++", "-std=c++14", "-Wall", "-Werror", f"-D__HIP_DEVICE_COMPILE__={device}", f"-I{include_dir()}"]
    subprocess.run([*command, str(source), "-o", str(program)], check=True)
    assert subprocess.run([str(program)], capture_output=True, text=True).stdout == f"{chosen}\n"


_BARE = """
#include <stdio.h>
#include <hipport/compat/nv_target.h>
int main() {
  int r = 0;
  NV_IF_TARGET(NV_IS_HOST, r += 1; r += 1;, r += 4;)
  NV_IF_ELSE_TARGET(NV_IS_DEVICE, (r += 8, r += 8;), r += 32;)
  NV_IF_TARGET(NV_IS_HOST, r = (r + 64);)
  NV_IF_TARGET(NV_IS_DEVICE, (r += 128;))
  NV_DISPATCH_TARGET(NV_IS_DEVICE, r += 256;, NV_ANY_TARGET, { r += 512; })
  printf("%d\\n", r);
}
"""


@pytest.mark.parametrize(("device", "sum_of_chosen"), [("0", "610"), ("1", "404")])
def test_code_needs_no_parentheses(device: str, sum_of_chosen: str, tmp_path: Path) -> None:
    source, program = tmp_path / "bare.cpp", tmp_path / "bare"
    source.write_text(_BARE)
    command = ["g++", "-Wall", "-Werror", f"-D__HIP_DEVICE_COMPILE__={device}", f"-I{include_dir()}"]
    subprocess.run([*command, str(source), "-o", str(program)], check=True)
    assert subprocess.run([str(program)], capture_output=True, text=True).stdout == f"{sum_of_chosen}\n"


def test_parts_and_multiples_on_the_cpu(tmp_path: Path) -> None:
    command = ["g++", "-std=c++17", "-x", "c++", "-fsyntax-only", f"-I{include_dir()}", f"-I{include_dir() / 'cpu'}"]
    subprocess.run([*command, str(_FIXTURE)], check=True)
