// SPDX-License-Identifier: MIT
// The parameters of kernel nodes with their members in CUDA's order, for values in braces: HIP's struct has another one.
#ifndef HIPPORT_COMPAT_KERNEL_NODES_H
#define HIPPORT_COMPAT_KERNEL_NODES_H

#include <hip/hip_runtime.h>

namespace hipport {
namespace compat {

struct kernel_node_params {
  void* func;
  dim3 gridDim;
  dim3 blockDim;
  unsigned int sharedMemBytes;
  void** kernelParams;
  void** extra;

  operator hipKernelNodeParams() const {
    hipKernelNodeParams params = {};
    params.func = func;
    params.gridDim = gridDim;
    params.blockDim = blockDim;
    params.sharedMemBytes = sharedMemBytes;
    params.kernelParams = kernelParams;
    params.extra = extra;
    return params;
  }
};

struct driver_kernel_node_params {
  hipFunction_t func;
  unsigned int gridDimX;
  unsigned int gridDimY;
  unsigned int gridDimZ;
  unsigned int blockDimX;
  unsigned int blockDimY;
  unsigned int blockDimZ;
  unsigned int sharedMemBytes;
  void** kernelParams;
  void** extra;

  operator hipKernelNodeParams() const {
    return kernel_node_params{reinterpret_cast<void*>(func),
                              dim3(gridDimX, gridDimY, gridDimZ),
                              dim3(blockDimX, blockDimY, blockDimZ),
                              sharedMemBytes,
                              kernelParams,
                              extra};
  }
};

}  // namespace compat
}  // namespace hipport

#endif
