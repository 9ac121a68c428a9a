// SPDX-License-Identifier: MIT
// Names that stand for something else than the tables say, or that only HIP has.
#pragma once

// An address, as it is for AMD GPUs; the driver's is a number.
#undef hipDeviceptr_t
typedef void* hipDeviceptr_t;

// Of the driver's enumerations, where HIP has one with the runtime's.
#undef hipDeviceAttributeVirtualMemoryManagementSupported
#define hipDeviceAttributeVirtualMemoryManagementSupported \
  ((enum cudaDeviceAttr)CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED)
#undef hipErrorContextAlreadyCurrent
#define hipErrorContextAlreadyCurrent ((cudaError_t)CUDA_ERROR_CONTEXT_ALREADY_CURRENT)
#undef hipMemoryTypeArray
#define hipMemoryTypeArray ((enum cudaMemoryType)CU_MEMORYTYPE_ARRAY)
#undef hipMemoryTypeUnified
#define hipMemoryTypeUnified ((enum cudaMemoryType)CU_MEMORYTYPE_UNIFIED)

// Kinds of host memory that differ on AMD GPUs only: all of CUDA's is coherent.
#define hipHostMallocNumaUser 0x0
#define hipHostMallocCoherent 0x0
#define hipHostMallocNonCoherent 0x0
#define hipHostRegisterCoherent 0x0
#define hipHostAllocDefault cudaHostAllocDefault
#define hipHostAllocPortable cudaHostAllocPortable
#define hipHostAllocMapped cudaHostAllocMapped
#define hipHostAllocWriteCombined cudaHostAllocWriteCombined
#define hipDeviceMallocDefault 0x0
#define hipDeviceMallocFinegrained 0x1
#define hipEventReleaseToDevice 0x0
#define hipEventReleaseToSystem 0x0
#define hipEventDisableSystemFence 0x0
