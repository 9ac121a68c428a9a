// SPDX-License-Identifier: MIT
// Names whose mapping differs from the tables, and names that only HIP has.
#pragma once

// A pointer, as on AMD GPUs; CUDA's driver uses an integer.
#undef hipDeviceptr_t
typedef void* hipDeviceptr_t;

// Enumerators that HIP has in one enumeration and CUDA only in the driver's.
#undef hipDeviceAttributeVirtualMemoryManagementSupported
#define hipDeviceAttributeVirtualMemoryManagementSupported \
  ((enum cudaDeviceAttr)CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED)
#undef hipErrorContextAlreadyCurrent
#define hipErrorContextAlreadyCurrent ((cudaError_t)CUDA_ERROR_CONTEXT_ALREADY_CURRENT)
#undef hipMemoryTypeArray
#define hipMemoryTypeArray ((enum cudaMemoryType)CU_MEMORYTYPE_ARRAY)
#undef hipMemoryTypeUnified
#define hipMemoryTypeUnified ((enum cudaMemoryType)CU_MEMORYTYPE_UNIFIED)

// Kinds of host memory that differ only on AMD GPUs: all of CUDA's host memory is coherent.
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
