// SPDX-License-Identifier: MIT
// `cg::coalesced_threads()` with the active lanes of a CUDA warp: on wavefronts of 64 lanes, those of the caller's half.
//
// HIP's function returns a group of up to 64 threads, whose ranks, sizes and ballots differ from CUDA's. Its tiles of
// such groups are wrong in the upper half of a wavefront: `1 << lane` has 32 bits there.
#ifndef HIPPORT_COMPAT_COALESCED_THREADS_H
#define HIPPORT_COMPAT_COALESCED_THREADS_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "core.h"

#if defined(HIPPORT_COMPAT_CUDA)
#include <cooperative_groups.h>

namespace hipport {
namespace warp32 {

HIPPORT_COMPAT_DEVICE cooperative_groups::coalesced_group coalesced_threads() {
  return cooperative_groups::coalesced_threads();
}

HIPPORT_COMPAT_DEVICE cooperative_groups::coalesced_group tiled_partition(
    const cooperative_groups::coalesced_group& group, unsigned size) {
  return cooperative_groups::tiled_partition(group, size);
}

}  // namespace warp32
}  // namespace hipport

#elif defined(HIPPORT_COMPAT_HIP)
#include <hip/hip_cooperative_groups.h>

#include "coalesced_parts.h"
#include "lanes.h"

namespace hipport {
namespace warp32 {

HIPPORT_COMPAT_DEVICE cooperative_groups::coalesced_group coalesced_threads(HIPPORT_LANES_CALLER) {
  return compat::CoalescedPart(in_wavefront(activemask(HIPPORT_LANES_HERE)));
}

#if defined(__HIPPORT_CPU__)

inline cooperative_groups::coalesced_group tiled_partition(const cooperative_groups::coalesced_group& group,
                                                           unsigned size) {
  return cooperative_groups::tiled_partition(group, size);
}

#else

// The threads of the group whose ranks are in the same `size` ranks as the caller's.
HIPPORT_COMPAT_DEVICE cooperative_groups::coalesced_group tiled_partition(
    const cooperative_groups::coalesced_group& group, unsigned size) {
  const unsigned tile = group.thread_rank() / size;
  unsigned long long lanes = 0;
  for (unsigned rank = 0; rank < unsigned(group.size()); ++rank) {
    const int lane = group.shfl(static_cast<int>(__lane_id()), static_cast<int>(rank));
    if (rank / size == tile) lanes |= 1ull << lane;
  }
  return compat::CoalescedPart(lanes, tile, (unsigned(group.size()) + size - 1) / size);
}

#endif

// Of blocks and of groups whose kind is known at run time only.
HIPPORT_COMPAT_DEVICE cooperative_groups::thread_group tiled_partition(const cooperative_groups::thread_block& block,
                                                                       unsigned size) {
  return cooperative_groups::tiled_partition(block, size);
}
HIPPORT_COMPAT_DEVICE cooperative_groups::thread_group tiled_partition(const cooperative_groups::thread_group& group,
                                                                       unsigned size) {
  return cooperative_groups::tiled_partition(group, size);
}

}  // namespace warp32
}  // namespace hipport

#endif

#endif

#endif
