"""A program of numbers and lanes that ports got wrong without a word. It checks itself, on the CPU and as AMD code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
#include <climits>
#include <cmath>
#include <cooperative_groups.h>
#include <cstdio>
#include <cuComplex.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

typedef cuFloatComplex Complex;
__host__ __device__ inline Complex operator+(Complex a, Complex b) { return cuCaddf(a, b); }

__global__ void lanes(unsigned* out) {
  const int lane = threadIdx.x & 31;
  // Compilers may not merge the calls of both branches.
  if (lane >= 20) out[threadIdx.x] = __activemask(); else out[threadIdx.x] = __popc(__activemask());
  unsigned size;
  if (lane % 4 == 0) size = cg::coalesced_threads().size(); else size = cg::coalesced_threads().size();
  auto block = cg::this_thread_block();
  auto some = cg::tiled_partition(block, 8);
  // A predicate without sign.
  if (__ballot_sync(0xffffffffu, threadIdx.x & 1u) != 0xaaaaaaaau || !__any_sync(~0u, threadIdx.x & 16u)) size = 0;
  out[64 + threadIdx.x] = size * 100 + some.size() * 10 + some.thread_rank();
}
__global__ void numbers(double* out, float large, double third, double nan) {
  const Complex big = make_cuFloatComplex(large, large), quotient = cuCdivf(big, big) + make_cuFloatComplex(2, 3);
  out[0] = quotient.x;
  out[1] = quotient.y;
  out[2] = cuCabsf(make_cuFloatComplex(3 * large, 4 * large)) / large;
  out[3] = __ddiv_rz(1.0, third) * third;
  out[4] = ilogb(nan);
  out[5] = cuCabs(make_cuDoubleComplex(0, 0));
}

int main() {
  unsigned* out;
  double* results;
  int wrong = 0;
  cudaMallocManaged(&out, 128 * sizeof(unsigned));
  cudaMallocManaged(&results, 6 * sizeof(double));
  lanes<<<1, 64>>>(out);
  numbers<<<1, 1>>>(results, 1e30f, 3.0, NAN);
  cudaDeviceSynchronize();
  for (unsigned i = 0; i < 64; ++i) {
    wrong += out[i] != (i % 32 >= 20 ? 0xfff00000u : 20u);
    wrong += out[64 + i] != (i % 4 == 0 ? 800 : 2400) + 80 + i % 8;
  }
  const double expected[] = {3, 3, 5, 1, INT_MIN, 0};
  for (int i = 0; i < 6; ++i) wrong += !(std::fabs(results[i] - expected[i]) <= 1e-6);
  printf("%d wrong\\n", wrong);
}
"""

pytestmark = pytest.mark.slow


def _built(folder: Path, *options: str) -> Path:
    source, program = folder / "program.cu", folder / "program"
    source.write_text(PROGRAM)
    command = [sys.executable, "-m", "hipport", "build", str(source), "-o", str(program), "-std", "c++17", "-O", "1"]
    built = subprocess.run([*command, *options], capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return program


@pytest.mark.parametrize("lanes", ["32", "64"])
def test_on_the_cpu(lanes: str, tmp_path: Path) -> None:
    program = _built(tmp_path, "--target", "cpu", "--wave-size", lanes)
    assert subprocess.run([program], capture_output=True, text=True, timeout=60).stdout == "0 wrong\n"


@pytest.mark.toolchain
@pytest.mark.parametrize("target", ["gfx90a", "gfx1100"])
def test_as_amd_code(target: str, tmp_path: Path) -> None:
    program = _built(tmp_path, "--offload-arch", target)
    command = [sys.executable, "-m", "hipport", "run", "--emulate", target, str(program)]
    assert subprocess.run(command, capture_output=True, text=True, timeout=600).stdout == "0 wrong\n"
