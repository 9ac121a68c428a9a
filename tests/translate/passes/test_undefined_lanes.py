"""Values that one lane sets and that others pass or return: the lane's condition must survive the compiler.

The members of the class are generated: every type, every way to set a value, every way to a shuffle or to another
function. Each is a kernel with an atomic operation, which must not be in the kernel's first block of LLVM IR: there,
every lane would execute it.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from hipport.mappings.choice import NameChoice
from hipport.mappings.loader import load_choice
from hipport.support import include_dir
from hipport.translate.context import Context, Options
from hipport.translate.convert import convert_source
from tests.llvm_releases import HIPCC, NEWER
from tests.translate.passes import undefined_lanes_marks as marks

TYPES = {"int": "old", "unsigned": "old", "float": "old", "unsigned long long": "old", "int*": "out + old"}
SETTINGS = {
    "if": "T base; if (lane == leader) { int old = atomicAdd(counter, 32); base = VALUE; }",
    "two": "T base, other; other = 0; if (lane == leader) { int old = atomicAdd(counter, 32); base = VALUE; }",
    "nested": "T base; if (n > 0) { if (lane == leader) { int old = atomicAdd(counter, n); base = VALUE; } }",
    "loop": "T base; for (int i = lane; i <= leader; i += 32) { int old = atomicAdd(counter, 32); base = VALUE; }",
    "arms": "T base; if (lane == leader) { int old = atomicAdd(counter, n); base = VALUE; } else if (n > 7) base = 0;",
    "returned": "T base = take_SHORT(counter, out, lane == leader);",
}
WAYS = {
    "shfl": "__shfl(base, leader)",
    "shfl_sync": "__shfl_sync(0xffffffffu, base, leader)",
    "width": "__shfl_sync(0xffffffffu, base, leader, 32)",
    "down": "__shfl_down_sync(0xffffffffu, base, 1)",
    "function": "broadcast(base, leader)",
    "through": "through(base, leader)",
    "member": "tile.shfl(base, leader)",
    "argument": "passed(base)",
    "part": "passed(base + leader)",
    "result": "base",
    "ptx": 'shuffled; asm volatile("shfl.idx.b32 %0, %1, %2, 0x1f;" : "=r"(shuffled) : "r"(base), "r"(leader))',
}
HEAD = """#include <cooperative_groups.h>
template <typename T> __device__ T broadcast(T value, int leader) { return __shfl_sync(0xffffffffu, value, leader); }
template <typename T> __device__ T through(T value, int leader) { return broadcast(value, leader); }
template <typename T> __device__ T passed(T value) { return value; }
"""
TAKE = """__device__ T take_SHORT(int* counter, int* out, bool first) {
  T base;
  if (first) { int old = atomicAdd(counter, 32); base = VALUE; }
  return base;
}
"""
KERNEL = """__global__ void k_NAME(int* counter, int* out, T* results, int leader, int n) {
  const int lane = threadIdx.x & 31;
  auto tile = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  SETTING
  T shuffled; shuffled = WAY;
  results[threadIdx.x] = shuffled;
}
"""


def members() -> Iterator[tuple[str, str]]:
    """Yield the name and text of each kernel."""
    for kind, value in TYPES.items():
        short = re.sub(r"\W+", "_", kind)
        for how, setting in SETTINGS.items():
            for way, shuffle in WAYS.items():
                if way == "ptx" and kind not in ("int", "unsigned"):
                    continue
                if "*" in kind and way != "ptx":
                    shuffle = f"(T){shuffle.replace('base', '(unsigned long long)base')}"
                name = f"{short}_{how}_{way}"
                text = KERNEL.replace("SETTING", setting).replace("WAY", shuffle).replace("NAME", name)
                yield name, filled(text, kind, value, short)


def filled(text: str, kind: str, value: str, short: str) -> str:
    """Fill in a type; a pointer's declarator has the star."""
    text = text.replace("SHORT", short).replace("VALUE", value)
    if "*" in kind:
        text = text.replace("T base, other;", "int *base, *other;")
        text = text.replace("T base", "int *base")
    return re.sub(r"\bT\b", kind, text)


def program() -> str:
    takes = (filled(TAKE, kind, value, re.sub(r"\W+", "_", kind)) for kind, value in TYPES.items())
    return HEAD + "".join(takes) + "".join(text for _, text in members())


@cache
def converted(text: str) -> str:
    context = Context(load_choice(NameChoice(rocm="5.2")), Options())
    return convert_source(text.encode(), "lanes.cu", context).data.decode()


def device_code(clang: str, text: str, folder: Path) -> str:
    """Return the LLVM IR of HIP code for gfx90a."""
    source = folder / "lanes.hip"
    source.write_text(text)
    command = [clang, "-x", "hip", "--rocm-path=/usr", "--hip-version=5.2", "-nogpulib", "-D__HIP_PLATFORM_AMD__", "-w"]
    command += ["--offload-arch=gfx90a", "--offload-device-only", "-std=c++17", f"-I{include_dir()}", "-O1"]
    command += ["-S", "-emit-llvm", str(source), "-o", "-"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


_DEFINITION = re.compile(r"define [^@]*amdgpu_kernel [^@]*@_Z\d+k_(\w+?)P[^{]*\{(.*?)\n\}", re.DOTALL)
_BLOCK = re.compile(r"\n(?=[\w.]+:)")


def unconditional(code: str) -> dict[str, bool]:
    """Return for each kernel whether its atomic operation is in its first block."""
    return {found[1]: "atomicrmw" in _BLOCK.split(found[2])[0] for found in _DEFINITION.finditer(code)}


@pytest.mark.slow
@pytest.mark.toolchain
@pytest.mark.parametrize("release", [HIPCC, NEWER])
def test_conditions_survive_on_amd_gpus(release: int, tmp_path: Path) -> None:
    found = unconditional(device_code(f"clang++-{release}", converted(program()), tmp_path))
    assert len(found) == len(list(members())) > 200
    assert not [name for name, wrong in found.items() if wrong]


@pytest.mark.slow
@pytest.mark.toolchain
def test_without_a_value_the_condition_is_lost(tmp_path: Path) -> None:
    """The test itself sees what it is for."""
    code = re.sub(r"\bbase(?: = 0|\{\})(?=[;,])", "base", converted(program()))
    found = unconditional(device_code(f"clang++-{NEWER}", code, tmp_path))
    assert found["int_if_shfl_sync"]
    assert found["int_if_function"]
    assert found["float_if_member"]
    assert found["int_if_argument"]
    assert found["int_returned_result"]


UNTRANSLATED = """#include <hipport/compat/reduce.h>
#include <hipport/ptx/lanes.h>
""" + "".join(
    f"""__global__ void k_{name}(int* counter, unsigned* out, int leader) {{
  unsigned base;
  if ((threadIdx.x & 31) == leader) base = atomicAdd(counter, 32);
  int all;
  out[threadIdx.x] = {call};
}}
"""
    for name, call in {
        "idx": "hipport::ptx::shfl_idx(base, leader, 0x1f, ~0u)",
        "up": "hipport::ptx::shfl_up(base, 1, 0, ~0u)",
        "down": "hipport::ptx::shfl_down(base, 1, 0x1f, ~0u)",
        "bfly": "hipport::ptx::shfl_bfly(base, 1, 0x1f, ~0u)",
        "read": "hipport::ptx::read_lane(base, leader, ~0u)",
        "pmatch": "hipport::ptx::match_any(base, ~0u)",
        "pall": "hipport::ptx::match_all(base, ~0u)",
        "redux": "hipport::ptx::redux_add(base, ~0u)",
    }.items()
)


@pytest.mark.slow
@pytest.mark.toolchain
def test_functions_of_the_headers_take_undefined_values(tmp_path: Path) -> None:
    """Sources that were translated before, or written with these headers, rely on their parameters' attribute."""
    found = unconditional(device_code(f"clang++-{NEWER}", UNTRANSLATED, tmp_path))
    assert found == dict.fromkeys(found, False)
    assert len(found) == 8


VALUE_PARAMETER = re.compile(
    r"\b(?:__shfl\w*|__match\w*|shfl\w*|match_\w+|shuffle|read|read_lane|from_lane|equal|word|same_bits|name|"
    r"name##_sync|redux_\S+|reduce_lanes)\((?P<parameters>[^()]*\b(?:T|uint\d\d_t) (?:value|a)\b)"
)


def test_every_lane_function_marks_its_value() -> None:
    """A new function is found by its name, so that none is forgotten."""
    found = []
    for header in ("compat/lanes.h", "compat/reduce.h", "ptx/lanes.h", "compat/cooperative_groups_large_tiles.h"):
        found += VALUE_PARAMETER.findall(
            (include_dir() / "hipport" / header).read_text().split("HIPPORT_COMPAT_CUDA")[0]
        )
    for header in ("lanes.h", "cooperative_groups.h"):
        found += VALUE_PARAMETER.findall((include_dir() / "cpu" / "hipport_cpu" / header).read_text())
    assert len(found) > 25
    assert not [parameters for parameters in found if "HIPPORT_MAYBE_UNDEF" not in parameters]


UNCHANGED = {
    "set at once": "int base = 0; if (lane == 0) base = 1; base = __shfl_sync(~0u, base, 0);",
    "set in both arms": "int base; if (lane == 0) base = 1; else base = 2; base = __shfl_sync(~0u, base, 0);",
    "set before": "int base; base = 2; if (lane == 0) base = 1; base = __shfl_sync(~0u, base, 0);",
    "used where it is set": "int base; if (lane < 16) { base = 1; out[0] = __shfl_sync(0xffffu, base, 0); }",
    "not shuffled": "int base; if (lane == 0) base = 1; if (lane == 0) out[0] = base;",
    "an array whose elements are stored": "int base[2]; if (lane == 0) base[0] = 1; out[0] = base[0];",
    "a jump": "if (lane > 40) goto end; int base; if (lane == 0) base = 1; base = __shfl_sync(~0u, base, 0); end:;",
    "shared": "__shared__ int base; if (lane == 0) base = 1; out[0] = __shfl_sync(~0u, base, 0);",
}


@pytest.mark.parametrize("body", UNCHANGED.values(), ids=UNCHANGED.keys())
def test_other_variables_stay(body: str) -> None:
    text = f"__global__ void k(int* out) {{ const int lane = threadIdx.x % 32; {body} }}\n"
    declared = re.search(r"int base(?:\[2\])?[^;,]*", body)
    assert declared is not None
    assert f"{declared[0]};" in converted(text)


def test_the_host_stays() -> None:
    assert "int base;" in converted("int f(int l) { int base; if (l) base = 1; return __shfl_sync(l, base, 0); }\n")


def forms() -> str:
    return marks.HEAD + "".join(text for _, text in marks.kernels())


_EXTERN = re.compile(r"define [^@]*amdgpu_kernel [^@]*@k_(\w+)\([^{]*\{(.*?)\n\}", re.DOTALL)


def lost(code: str) -> set[str]:
    """Return the kernels of `forms` whose atomic operation every lane executes."""
    kernels = {found[1]: _BLOCK.split(found[2])[0] for found in _EXTERN.finditer(code)}
    assert kernels.keys() == {name for name, _ in marks.kernels()}
    return {name for name, block in kernels.items() if "atomicrmw" in block}


@pytest.mark.slow
@pytest.mark.toolchain
@pytest.mark.parametrize("release", [HIPCC, NEWER])
def test_conditions_survive_in_functions_of_every_form(release: int, tmp_path: Path) -> None:
    assert not lost(device_code(f"clang++-{release}", converted(forms()), tmp_path))


@pytest.mark.slow
@pytest.mark.toolchain
def test_every_form_of_functions_loses_conditions(tmp_path: Path) -> None:
    """The test above sees what it is for."""
    found = lost(device_code(f"clang++-{NEWER}", f"#include <hip/hip_runtime.h>\n{forms()}", tmp_path))
    assert len(found) > 100
    assert {f"{mark}_returned" for mark in marks.MARKS} <= found


@pytest.mark.parametrize("mark", marks.MARKS.values(), ids=marks.MARKS.keys())
@pytest.mark.parametrize("body", marks.MISSES.values(), ids=marks.MISSES.keys())
def test_variables_that_every_path_sets_stay(mark: str, body: str) -> None:
    text = (mark.replace("BODY", body) + marks.CALL).replace("NAME", "miss")
    assert text in converted(marks.HEAD + text)


LAMBDAS = (
    "[=] __device__ (int x)",
    "[] __host__ __device__ (int x) -> int",
    "[=] BOTH_SIDES (int x)",
    "[&] DEV(int x)",
)


@pytest.mark.parametrize("head", LAMBDAS)
def test_lambdas_of_host_functions(head: str) -> None:
    own = f"{head} {{ int v; if (x) v = 1; return v; }}"
    text = f"{marks.HEAD}void h(int n) {{ int w; if (n) w = 1; g(w); run({own}); }}\n"
    assert f"int w; if (n) w = 1; g(w); run({head} {{ int v = 0; if (x)" in converted(text)


def test_macros_that_other_files_define() -> None:
    context = Context(load_choice(NameChoice(rocm="5.2")), Options(), foreign=frozenset({"FOR_GPUS=device-only"}))
    text = (
        b"FOR_GPUS int f(int x) { int v; if (x) v = 1; return v; }\nint g(int x) { int v; if (x) v = 1; return v; }\n"
    )
    code = convert_source(text, "lanes.cuh", context).data.decode()
    assert "FOR_GPUS int f(int x) { int v = 0;" in code
    assert "int g(int x) { int v;" in code
