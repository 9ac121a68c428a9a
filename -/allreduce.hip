// SPDX-License-Identifier: MIT
// Two all-reduces in one group by NCCL, one GPU a rank, where MPI hands around what makes the ranks a communicator.
#include <hip/hip_runtime.h>
#include <rccl/rccl.h>

#include "options.h"
#include "summed_floats.cuh"
#include "world.h"

#define NCCL_CHECK(call)                                                                         \
  do {                                                                                           \
    const ncclResult_t status_ = (call);                                                         \
    if (status_ != ncclSuccess) {                                                                \
      std::fprintf(stderr, "FAIL: %s:%d: %s\n", __FILE__, __LINE__, ncclGetErrorString(status_)); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                              \
    }                                                                                            \
  } while (0)

namespace {

ncclComm_t communicator(const World& world) {
  ncclUniqueId id;
  if (world.first()) NCCL_CHECK(ncclGetUniqueId(&id));
  MPI_CHECK(MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD));
  ncclComm_t made;
  NCCL_CHECK(ncclCommInitRank(&made, world.size(), id, world.rank()));
  return made;
}

}  // namespace

int main(int count, char** words) {
  const World world(&count, &words);
  const Options options = parse_options(count, words);
  const size_t numbers = (options.most + sizeof(float) - 1) / sizeof(float);
  SummedFloats first(world.rank(), world.size(), numbers), second(world.rank(), world.size(), numbers);
  first.prepare(numbers, 1);
  second.prepare(numbers, 2);
  ncclComm_t made = communicator(world);
  hipStream_t stream;
  CUDA_CHECK(hipStreamCreate(&stream));
  NCCL_CHECK(ncclGroupStart());
  NCCL_CHECK(ncclAllReduce(first.shares(), first.sums(), numbers, ncclFloat, ncclSum, made, stream));
  NCCL_CHECK(ncclAllReduce(second.shares(), second.sums(), numbers, ncclFloat32, ncclSum, made, stream));
  NCCL_CHECK(ncclGroupEnd());
  CUDA_CHECK(hipStreamSynchronize(stream));
  const unsigned long long wrong = total(first.count_wrong(numbers, 1) + second.count_wrong(numbers, 2));
  CUDA_CHECK(hipStreamDestroy(stream));
  NCCL_CHECK(ncclCommDestroy(made));
  if (world.first()) std::printf("%s: nccl: %llu wrong\n", wrong == 0 ? "PASS" : "FAIL", wrong);
  return wrong == 0 ? 0 : 1;
}
