// How blocks that work on matrix units are launched.
#ifndef HIPPORT_KERNELS_UNIT_LAUNCH_H
#define HIPPORT_KERNELS_UNIT_LAUNCH_H

#include "../engine/device.h"
#include "../kernels/matrix_unit.cuh"

namespace hipport_llm {

static __global__ void unit_threads_kernel(int* threads) { *threads = kUnitThreads; }

// kUnitThreads, which the device knows: four wavefronts, whatever their size.
static int unit_threads() {
  static const int threads = [] {
    int found = 0;
    const Buffer<int> on_device(1, "the threads of a block");
    unit_threads_kernel<<<1, 1>>>(on_device.get());
    on_device.download(&found, 1, nullptr);
    check(cudaStreamSynchronize(nullptr), "asking for the threads of a block");
    return found;
  }();
  return threads;
}

}  // namespace hipport_llm

#endif
