// Groups by their types, the alignment of dynamic shared memory, constants of numbers: prints how many are wrong.
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_fp16.h>
#include <hip/hip_math_constants.h>
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>

namespace cg = cooperative_groups;

extern __shared__ __align__(1024) char bytes[];

template <typename Tile>
__device__ unsigned rank_in() {
  return Tile::thread_rank();
}

__global__ void ranks(int* wrong) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const cg::thread_group alone = cg::this_thread();
  if (rank_in<std::decay_t<decltype(tile)>>() != threadIdx.x % 8) atomicAdd(wrong, 1);
  if (alone.size() != 1 || alone.thread_rank() != 0) atomicAdd(wrong, 1);
  if (reinterpret_cast<size_t>(bytes) % 1024 != 0) atomicAdd(wrong, 1);
}

int main() {
  int* wrong;
  if (hipMallocManaged(&wrong, sizeof(int)) != hipSuccess) return 1;
  *wrong = 0;
  hipLaunchKernelGGL(ranks, dim3(2), dim3(96), 100, 0, wrong);
  if (hipDeviceSynchronize() != hipSuccess) return 1;
  *wrong += HIP_2_OVER_PI != 2 / HIP_PI;
  *wrong += HIP_L2E_F != 1 / HIP_LN2_F;
  *wrong += HIP_PI_HI + HIP_PI_LO != HIP_PI;
  *wrong += __half2float(HIPRT_MAX_NORMAL_FP16) != 65504 || !__hisnan(HIPRT_NAN_FP16);
  std::printf("%d wrong\n", *wrong);
}
