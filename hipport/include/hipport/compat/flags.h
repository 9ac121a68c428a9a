// SPDX-License-Identifier: MIT
// Flags of CUDA that HIP lacks, and that ask for what HIP does anyway, or for nothing but speed.
#ifndef HIPPORT_COMPAT_FLAGS_H
#define HIPPORT_COMPAT_FLAGS_H

#include <hip/hip_runtime_api.h>

#if defined(__HIP_PLATFORM_AMD__)

#if defined(__cplusplus)
#define HIPPORT_FLAG(name, value) static constexpr int name = value
#else
#define HIPPORT_FLAG(name, value) enum { name = value }
#endif

// The default.
HIPPORT_FLAG(cudaEnableDefault, 0);
HIPPORT_FLAG(cudaEventRecordDefault, 0);
HIPPORT_FLAG(cudaEventWaitDefault, 0);
HIPPORT_FLAG(cudaPeerAccessDefault, 0);
HIPPORT_FLAG(CU_EVENT_RECORD_DEFAULT, 0);
HIPPORT_FLAG(CU_EVENT_WAIT_DEFAULT, 0);
HIPPORT_FLAG(CU_GET_PROC_ADDRESS_DEFAULT, 0);
HIPPORT_FLAG(CU_STREAM_WRITE_VALUE_DEFAULT, 0);

// Permissions that HIP makes no use of: 0, because HIP refuses unknown flags.
HIPPORT_FLAG(cudaGraphInstantiateFlagUseNodePriority, 0);
HIPPORT_FLAG(cudaHostRegisterReadOnly, 0);
HIPPORT_FLAG(cudaOccupancyDisableCachingOverride, 0);
HIPPORT_FLAG(CU_MEMHOSTREGISTER_READ_ONLY, 0);
HIPPORT_FLAG(CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE, 0);
HIPPORT_FLAG(CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER, 0);

// Values of an attribute that is a hint.
HIPPORT_FLAG(cudaSharedmemCarveoutDefault, -1);
HIPPORT_FLAG(cudaSharedmemCarveoutMaxL1, 0);
HIPPORT_FLAG(cudaSharedmemCarveoutMaxShared, 100);
HIPPORT_FLAG(CU_SHAREDMEM_CARVEOUT_DEFAULT, -1);
HIPPORT_FLAG(CU_SHAREDMEM_CARVEOUT_MAX_L1, 0);
HIPPORT_FLAG(CU_SHAREDMEM_CARVEOUT_MAX_SHARED, 100);

// A type of memory that HIP never reports before ROCm 6.0.
HIPPORT_FLAG(cudaMemoryTypeUnregistered, -1);

#undef HIPPORT_FLAG

// The null stream, unless it is each thread's own.
#if !defined(HIP_API_PER_THREAD_DEFAULT_STREAM)
#define cudaStreamLegacy ((hipStream_t)0)
#define CU_STREAM_LEGACY ((hipStream_t)0)
#endif

#endif

#endif
