"""Checks that depend on what other files of a tree define: each file includes the one before it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import pytest

from hipport.project.request import Mode
from hipport.project.run import run
from hipport.translate.convert import convert_source
from tests.project.fake import build, request


def found(folder: Path, code: str, files: Sequence[str]) -> list[tuple[str, int]]:
    """Return the file names and lines at which a code is reported in files that include each other, the last a unit."""
    names = [f"part{number}.cuh" for number in range(len(files) - 1)] + ["main.cu"]
    includes = ["", *(f'#include "{name}"\n' for name in names)]
    build(folder, {f"in/{name}": f"{line}{text}" for name, line, text in zip(names, includes, files, strict=False)})
    report = run(
        request(Mode.OUTPUT, folder / "in", folder=str(folder / "out")), lambda done, total: None, convert_source
    )
    return sorted((Path(each.path).name, each.line) for each in report.diagnostics if each.code == code)


SUM = "  for (int d = warpSize / 2; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);\n"
HELPER = f"__device__ float warp_sum(float v) {{\n{SUM}  return v;\n}}\n"
KERNELS = {
    "own": (f"__global__ void rows(float* p) {{\n  float v = p[threadIdx.x];\n{SUM}  p[0] = v;\n}}\n",),
    "steps": ("__global__ void rows(float* p) {\n  for (int i = threadIdx.x; i < 99; i += warpSize) p[i] = 0;\n}\n",),
    "called": (HELPER, "__global__ void rows(float* p) { p[0] = warp_sum(p[threadIdx.x]); }\n"),
    "calls of calls": (
        HELPER,
        "__device__ float twice(float v) { return 2 * warp_sum(v); }\n",
        "template <class T>\n__global__ void rows(T* p) { p[0] = twice(p[threadIdx.x]); }\n",
    ),
}


@pytest.mark.parametrize("block", ["32", "kThreads", "dim3(32, 2)"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_blocks_of_half_a_wavefront_for_kernels_of_other_files(kernel: str, block: str, tmp_path: Path) -> None:
    launch = f"const int kThreads = 32;\nvoid run(float* p) {{ rows<<<1, {block}>>>(p); }}\n"
    assert found(tmp_path, "HP227", (*KERNELS[kernel], launch)) == [("main.cu", 3)]


@pytest.mark.parametrize("kernel", KERNELS)
def test_other_blocks_for_kernels_of_other_files(kernel: str, tmp_path: Path) -> None:
    launches = "void run(float* p, int n) { rows<<<1, 64>>>(p); rows<<<1, n>>>(p); other<<<1, 32>>>(p); }\n"
    assert not found(tmp_path, "HP227", (*KERNELS[kernel], launches))


FIXED = "__global__ void rows(int* p) { p[blockIdx.x] = sum(p[blockIdx.x * 32 + threadIdx.x]); }\n"
ASKING = "__global__ void rows(int* p) { p[blockIdx.x] = sum(p[(gridDim.x + blockIdx.x) * blockDim.x]); }\n"
SUM_32 = "__device__ int sum(int v) {\n  for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);\n  return v;\n}\n"
ASKED = "cudaDeviceProp d;\n  cudaGetDeviceProperties(&d, 0);\n"


@pytest.mark.parametrize(
    ("launch", "kernel"), [*itertools.product(["n / d.warpSize, 32", "n / 32, d.warpSize"], [FIXED, ASKING])]
)
@pytest.mark.parametrize("apart", [True, False])
def test_launches_by_the_warp_size_of_kernels_of_other_files(
    launch: str, kernel: str, apart: bool, tmp_path: Path
) -> None:
    unit = f"void run(int* p, int n) {{\n  {ASKED}  rows<<<{launch}>>>(p);\n}}\n"
    files = (SUM_32, kernel, unit) if apart else (SUM_32 + kernel, unit)
    assert found(tmp_path, "HP231", files) == ([("main.cu", 5)] if kernel == FIXED else [])


KERNEL = "__global__ void rows(float* p) {}\n"


@pytest.mark.parametrize("size", ["96 * 1024", "98304", "3 << 15", "(kTile * kTile * 6)"])
@pytest.mark.parametrize("constant", ["#define BYTES {}\n", "constexpr int BYTES = {};\n", "enum {{ BYTES = {} }};\n"])
@pytest.mark.parametrize(
    "use",
    [
        "rows<<<1, 64, BYTES>>>(p);",
        "cudaFuncSetAttribute(rows, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);",
    ],
)
def test_sizes_of_shared_memory_of_other_files(use: str, constant: str, size: str, tmp_path: Path) -> None:
    header = f"enum {{ kTile = 128 }};\n{constant.format(size)}"
    assert found(tmp_path, "HP211", (header, f"{KERNEL}void run(float* p) {{\n  {use}\n}}\n")) == [("main.cu", 4)]


WIDE = "__global__ void rows(float* p) {\n  p[threadIdx.x % warpSize] = __shfl_sync(~0u, p[0], 0, WIDTH);\n}\n"


@pytest.mark.parametrize("value", ["32", "HALF * 2", "(1 << LOG)", "(HALF + HALF)"])
def test_widths_of_other_files(value: str, tmp_path: Path) -> None:
    header = f"enum {{ LOG = 5, HALF = 16 }};\n#define WIDTH {value}\n"
    assert found(tmp_path, "HP204", (header, WIDE)) == [("main.cu", 3)]


@pytest.mark.parametrize("name", ["WARP_SIZE", "kWarpSize", "THREADS_PER_WARP"])
@pytest.mark.parametrize("constant", ["#define {} 32\n", "static const int {} = 32;\n", "enum {{ {} = 1 << 5 }};\n"])
@pytest.mark.parametrize("beside", ["warpSize", "32"])
def test_warp_sizes_of_headers(beside: str, constant: str, name: str, tmp_path: Path) -> None:
    unit = f"__global__ void k(int* p) {{ p[threadIdx.x / {beside}] = threadIdx.x % {name}; }}\n"
    used = [("main.cu", 2)] if beside == "warpSize" else []
    assert found(tmp_path, "HP206", (constant.format(name), unit)) == [*used, ("part0.cuh", 1)]


HALVING = SUM_32.replace("16", "SIZE / 2")


@pytest.mark.parametrize("name", ["WAVE", "SIZE", "kLanes"])
@pytest.mark.parametrize("value", ["warpSize", "(warpSize)", "int(warpSize)", "32"])
def test_macros_of_other_files_for_the_warp_size(value: str, name: str, tmp_path: Path) -> None:
    files = (f"#define {name} {value}\n", HALVING.replace("SIZE", name))
    assert found(tmp_path, "HP205", files) == ([("main.cu", 3)] if value == "32" else [])
    assert ("d, 32)" in (tmp_path / "out" / "main.hip").read_text()) == (value == "32")


GROUPS = """__global__ void k(int* p) {
  auto block = cg::this_thread_block();
  block.barrier_arrive();
  p[0] = block.num_threads() + cg::this_cluster().num_blocks();
}
"""


@pytest.mark.parametrize("between", [(), ("int between;\n",)], ids=["next", "further"])
@pytest.mark.parametrize("target", ["cooperative_groups", "::cooperative_groups", "mine"])
def test_names_of_other_files_for_namespaces(target: str, between: tuple[str, ...], tmp_path: Path) -> None:
    files = (f"#include <cooperative_groups.h>\nnamespace cg = {target};\n", *between, GROUPS)
    assert found(tmp_path, "HP117", files) == ([] if target == "mine" else [("main.cu", 4)])
    made = (tmp_path / "out" / "main.hip").read_text()
    assert ("hipport::compat::num_threads(block)" in made) == (target != "mine")


def test_graphs_by_a_name_of_another_file(tmp_path: Path) -> None:
    header = "#include <cudnn_frontend.h>\nnamespace fe = cudnn_frontend;\n"
    unit = "void run(fe::graph::Graph& g, T x, T w) {\n  g.matmul(x, w, fe::graph::Matmul_attributes());\n}\n"
    assert found(tmp_path, "HP126", (header, unit)) == [("main.cu", 3)]
    assert not found(tmp_path / "own", "HP126", ("namespace fe = mine;\n", unit))


PTX = ".version 7.0\\n.target sm_70\\n.visible .entry k() { ret; }"


@pytest.mark.parametrize(
    ("code", "text", "reported"),
    [
        ("HP511", PTX, True),
        ("HP511", "the .target directive", False),
        ("HP140", "libcudart.so.12", True),
        ("HP140", "libnvrtc.so", True),
        ("HP140", "nvcuda.dll", True),
        ("HP140", "libcudart.so.12 was not found", False),
    ],
)
@pytest.mark.parametrize("name", ["static const char* kText =", "#define TEXT", "const char* get() { return"])
def test_literals_that_another_file_loads(name: str, code: str, text: str, reported: bool, tmp_path: Path) -> None:
    end = "" if "#" in name else ";}" if "{" in name else ";"
    unit = "void load(CUmodule* m) { cuModuleLoadData(m, kText); dlopen(kText, 1); }\n"
    assert found(tmp_path, code, (f'{name} "{text}"{end}\n', unit)) == ([("part0.cuh", 1)] if reported else [])


LAUNCHING = """template <class T> __global__ void k(T* p) {}
inline int start(int v) { k<int><<<1, 1>>>(nullptr); return v; }
struct Pool { Pool() { k<int><<<1, 1>>>(nullptr); } int x; };
struct Apart { explicit Apart(int); };
inline Apart::Apart(int) { k<int><<<1, 1>>>(nullptr); }
struct Plain { Plain(); void run() { k<int><<<1, 1>>>(nullptr); } };
"""


@pytest.mark.parametrize("between", [(), ("int between;\n",)], ids=["next", "further"])
@pytest.mark.parametrize(
    ("declared", "reported"),
    [
        ("static Pool pool;", True),
        ("Pool pools[2];", True),
        ("namespace app { Apart apart(3); }", True),
        ("static int first = start(1) + 1;", True),
        ("extern Pool pool;", False),
        ("static Plain plain;", False),
        ("Pool& instance() { static Pool pool; return pool; }", False),
        ("int run() { return start(1); }", False),
    ],
)
def test_objects_that_launch_by_other_files(
    declared: str, reported: bool, between: tuple[str, ...], tmp_path: Path
) -> None:
    files = (LAUNCHING, *between, f"\n{declared}\n")
    assert found(tmp_path, "HP243", files) == ([("main.cu", 3)] if reported else [])
