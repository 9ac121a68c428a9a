// SPDX-License-Identifier: MIT
// The descriptor of physical memory, which only the driver API has, with the runtime's enumerations as in HIP.
#pragma once

#if CUDART_VERSION >= 11020

struct hipport_MemAllocationProp {
  cudaMemAllocationType type;
  union {
    cudaMemAllocationHandleType requestedHandleType;
    cudaMemAllocationHandleType requestedHandleTypes;
  };
  cudaMemLocation location;
  void* win32HandleMetaData;
  struct {
    unsigned char compressionType;
    unsigned char gpuDirectRDMACapable;
    unsigned short usage;
    unsigned char reserved[4];
  } allocFlags;
};
static_assert(sizeof(hipport_MemAllocationProp) == sizeof(CUmemAllocationProp), "must match the driver");

#undef hipMemAllocationProp
#define hipMemAllocationProp hipport_MemAllocationProp

#endif
