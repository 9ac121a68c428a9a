"""A program of what translators get wrong, found by generated ones. It checks itself, on waves of 32 and 64 lanes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <type_traits>
namespace cg = cooperative_groups;

#define KINDS(X) X(HostToDevice) X(DeviceToHost)
#define CASE(k) case cudaMemcpy##k: return #k;
const char* kind_name(cudaMemcpyKind kind) { switch (kind) { KINDS(CASE) default: return ""; } }
#define PASTE(op) cuda##op
#define PASSED_ON(op, ...) (PASTE(op)(__VA_ARGS__) == cudaSuccess)

int sides(cudaDeviceAttr attribute) {
  switch (attribute) {
    case cudaDevAttrMaxSurface2DWidth:
    case cudaDevAttrMaxSurface2DHeight: return 2;
    default: return 0;
  }
}

struct Launch {
  int blockIdx, threadIdx;
  __host__ __device__ int sum() const { return blockIdx + threadIdx; }
};
template <typename Tile>
__device__ int first(const Tile& tile, bool wanted) {
  auto lanes = tile.ballot(wanted);
  return __ffs(lanes) - 1 + (tile.thread_rank() > 100 ? 1 : 0);
}
template <typename F, typename = std::enable_if_t<std::is_invocable_v<F, int>>>
__global__ void each(F f) {
  f(threadIdx.x);
}
__global__ void kernel(int* out, Launch launch) {
  auto [x, y, z] = threadIdx;
  auto& size = blockDim;
  cg::thread_block::sync();
  const int rank = cg::thread_block::thread_rank();
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const int lane = __shfl_sync(0xffffffffu, rank, 33);
  out[rank] = x + y + z + size.x + launch.sum() + first(tile, x % 16 >= 3) + (lane == (rank & ~31) + 1 ? 0 : 1000);
}

int main() {
  int *out, wrong = 0;
  if (!PASSED_ON(MallocManaged, &out, 64 * sizeof(int))) return 2;
  kernel<<<1, 64>>>(out, Launch{1, 2});
  cudaDeviceSynchronize();
  for (int i = 0; i < 64; ++i) wrong += out[i] != i + 64 + 3 + 3;
  each<<<1, 4>>>([=] __device__(int i) { out[i] = i * 7; });
  cudaDeviceSynchronize();
  for (int i = 0; i < 4; ++i) wrong += out[i] != i * 7;
  wrong += strcmp(kind_name(cudaMemcpyDeviceToHost), "DeviceToHost") != 0;
  wrong += sides(cudaDevAttrMaxSurface2DHeight) != 2;
  printf("%d wrong\\n", wrong);
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("lanes", ["32", "64"])
def test_the_program_is_right(lanes: str, tmp_path: Path) -> None:
    source, program = tmp_path / "program.cu", tmp_path / "program"
    source.write_text(PROGRAM)
    command = [sys.executable, "-m", "hipport", "build", str(source), "-o", str(program), "-std", "c++17", "-O", "1"]
    built = subprocess.run([*command, "--target", "cpu", "--wave-size", lanes], capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    assert subprocess.run([program], capture_output=True, text=True, timeout=60).stdout == "0 wrong\n"


@pytest.mark.slow
@pytest.mark.toolchain
def test_the_program_compiles_for_amd_gpus(tmp_path: Path) -> None:
    source, program = tmp_path / "program.cu", tmp_path / "program"
    source.write_text(PROGRAM)
    command = [sys.executable, "-m", "hipport", "build", str(source), "-o", str(program), "-std", "c++17"]
    built = subprocess.run([*command, "--offload-arch", "gfx90a"], capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
