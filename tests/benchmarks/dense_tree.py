"""Seconds of the processor for many small files that are dense with device code, against a bare parse of them."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.benchmarks import processor_time

_FILES = 2000
_SOURCE = """#include <cuda_runtime.h>

__device__ float warp_sum%(n)d(float value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
  return value;
}

__global__ void reduce%(n)d(const float* in, float* out, int count) {
  __shared__ float partial[32];
  const int lane = threadIdx.x %% 32, warp = threadIdx.x / 32;
  float sum = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) sum += in[i];
  sum = warp_sum%(n)d(sum);
  if (lane == 0) partial[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = warp_sum%(n)d(lane < blockDim.x / 32 ? partial[lane] : 0.f);
    if (lane == 0) atomicAdd(out, sum);
  }
}

__global__ void count%(n)d(const int* in, unsigned* votes) {
  const unsigned mask = __ballot_sync(0xffffffffu, in[threadIdx.x] > %(n)d);
  if (threadIdx.x == 0) votes[blockIdx.x] = __popc(mask);
}

void run%(n)d(const float* in, float* out, int count) { reduce%(n)d<<<64, 256>>>(in, out, count); }
"""


def run(tree: Path) -> str:
    """Measure on files that are made here; the tree is not used."""
    with tempfile.TemporaryDirectory() as folder:
        for number in range(_FILES):
            place = Path(folder, "tree", f"part{number // 50}")
            place.mkdir(parents=True, exist_ok=True)
            (place / f"file{number}.cu").write_text(_SOURCE % {"n": number})
        table = processor_time.conversion(Path(folder, "tree"))
    return f"## {_FILES} small files, dense with device code\n\n{table}"
