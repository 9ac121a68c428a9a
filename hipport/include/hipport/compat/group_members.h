// SPDX-License-Identifier: MIT
// `meta_group_rank()` and `meta_group_size()` of tiles of a block, and `group_dim()` of blocks and grids, for HIP
// releases whose groups lack these members.
#ifndef HIPPORT_COMPAT_GROUP_MEMBERS_H
#define HIPPORT_COMPAT_GROUP_MEMBERS_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "core.h"

#if defined(HIPPORT_COMPAT_CUDA) || defined(__HIPPORT_CPU__)  // whose groups have the members

namespace hipport {
namespace compat {

template <typename Tile>
HIPPORT_COMPAT_DEVICE unsigned meta_group_rank(const Tile& tile) {
  return tile.meta_group_rank();
}
template <typename Tile>
HIPPORT_COMPAT_DEVICE unsigned meta_group_size(const Tile& tile) {
  return tile.meta_group_size();
}
template <typename Group>
HIPPORT_COMPAT_DEVICE dim3 group_dim(const Group& group) {
  return group.group_dim();
}

}  // namespace compat
}  // namespace hipport

#elif defined(HIPPORT_COMPAT_HIP)

#include <hip/hip_cooperative_groups.h>

#include "coalesced_parts.h"

namespace hipport {
namespace compat {

HIPPORT_COMPAT_DEVICE unsigned threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }

HIPPORT_COMPAT_DEVICE unsigned rank_in_block() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

// The index of this thread's tile in its block, and the number of tiles in the block.
template <typename Tile>
HIPPORT_COMPAT_DEVICE unsigned meta_group_rank(const Tile& tile) {
  return rank_in_block() / tile.size();
}
template <typename Tile>
HIPPORT_COMPAT_DEVICE unsigned meta_group_size(const Tile& tile) {
  return (threads_of_block() + tile.size() - 1) / tile.size();
}

// The threads that `coalesced_threads` finds are one group; partitions know how many there are.
HIPPORT_COMPAT_DEVICE unsigned meta_group_rank(const cooperative_groups::coalesced_group& group) {
#if HIPPORT_COMPAT_HIP_BEFORE(6, 0)
  return CoalescedPart::rank_of(group);
#else
  return group.meta_group_rank();
#endif
}
HIPPORT_COMPAT_DEVICE unsigned meta_group_size(const cooperative_groups::coalesced_group& group) {
#if HIPPORT_COMPAT_HIP_BEFORE(6, 0)
  return CoalescedPart::parts_of(group);
#else
  return group.meta_group_size();
#endif
}

// The dimensions of a block in threads, or of a grid in blocks.
template <typename Group>
HIPPORT_COMPAT_DEVICE dim3 group_dim(const Group&) {
  return dim3(blockDim.x, blockDim.y, blockDim.z);
}
HIPPORT_COMPAT_DEVICE dim3 group_dim(const cooperative_groups::grid_group&) {
  return dim3(gridDim.x, gridDim.y, gridDim.z);
}

}  // namespace compat
}  // namespace hipport

#endif

#endif

#endif
