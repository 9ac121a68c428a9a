// SPDX-License-Identifier: MIT
// `meta_group_rank()` and `meta_group_size()` of tiles of a block, for HIP whose tiles lack these members.
#ifndef HIPPORT_COMPAT_GROUP_MEMBERS_H
#define HIPPORT_COMPAT_GROUP_MEMBERS_H

#include "core.h"

#if defined(HIPPORT_COMPAT_CUDA)

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

}  // namespace compat
}  // namespace hipport

#elif defined(HIPPORT_COMPAT_HIP)

namespace hipport {
namespace compat {

HIPPORT_COMPAT_DEVICE unsigned threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }

HIPPORT_COMPAT_DEVICE unsigned rank_in_block() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

// The number of the tile that this thread is in, and how many tiles its block has.
template <typename Tile>
HIPPORT_COMPAT_DEVICE unsigned meta_group_rank(const Tile& tile) {
  return rank_in_block() / tile.size();
}
template <typename Tile>
HIPPORT_COMPAT_DEVICE unsigned meta_group_size(const Tile& tile) {
  return (threads_of_block() + tile.size() - 1) / tile.size();
}

}  // namespace compat
}  // namespace hipport

#endif

#endif
