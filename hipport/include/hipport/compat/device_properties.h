// SPDX-License-Identifier: MIT
// Members of `cudaDeviceProp` that `hipDeviceProp_t` has since ROCm 6.0, with the values that AMD GPUs have there.
#ifndef HIPPORT_COMPAT_DEVICE_PROPERTIES_H
#define HIPPORT_COMPAT_DEVICE_PROPERTIES_H

#include "core.h"

#include <hip/hip_runtime_api.h>

namespace hipport {
namespace compat {

// Functions of a structure, or of a pointer to one. The first group is constant on all AMD GPUs.
#define HIPPORT_COMPAT_PROPERTY(type, name, value)                            \
  inline type name(const hipDeviceProp_t& of) { return ((void)of, (value)); } \
  inline type name(const hipDeviceProp_t* of) { return name(*of); }

HIPPORT_COMPAT_PROPERTY(int, async_engine_count, 2)
HIPPORT_COMPAT_PROPERTY(int, device_overlap, 1)
HIPPORT_COMPAT_PROPERTY(int, unified_addressing, 1)
HIPPORT_COMPAT_PROPERTY(int, stream_priorities_supported, 1)
HIPPORT_COMPAT_PROPERTY(int, global_l1_cache_supported, 1)
HIPPORT_COMPAT_PROPERTY(int, local_l1_cache_supported, 1)
HIPPORT_COMPAT_PROPERTY(int, host_register_supported, 1)
HIPPORT_COMPAT_PROPERTY(int, host_register_read_only_supported, 0)
HIPPORT_COMPAT_PROPERTY(int, compute_preemption_supported, 0)

HIPPORT_COMPAT_PROPERTY(int, regs_per_multiprocessor, of.regsPerBlock)
HIPPORT_COMPAT_PROPERTY(int, max_blocks_per_multiprocessor, of.maxThreadsPerMultiProcessor / of.maxThreadsPerBlock)
HIPPORT_COMPAT_PROPERTY(size_t, surface_alignment, of.textureAlignment)

#undef HIPPORT_COMPAT_PROPERTY

}  // namespace compat
}  // namespace hipport

#endif
