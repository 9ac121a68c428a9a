// SPDX-License-Identifier: MIT
// `cg::tiled_partition<Size>(tile)`: tiles of tiles, which HIP has for blocks only.
#ifndef HIPPORT_COMPAT_COOPERATIVE_GROUPS_NESTED_TILES_H
#define HIPPORT_COMPAT_COOPERATIVE_GROUPS_NESTED_TILES_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP)
#include <hip/hip_cooperative_groups.h>

#include "group_members.h"

#if defined(__HIPPORT_CPU__)  // whose tiles can be divided
namespace hipport {
namespace compat {
template <unsigned Size>
using TileAsParent = cooperative_groups::thread_block_tile<Size>;
}  // namespace compat
}  // namespace hipport
#else
namespace hipport {
namespace compat {

// A tile of `Size` threads as the parent of smaller ones. Their sizes are powers of two, so their lanes and masks are
// those of tiles of the block. Only the number and the rank among the tiles of the parent differ.
template <unsigned Size>
class TileAsParent : public cooperative_groups::thread_block {
 public:
  HIPPORT_COMPAT_DEVICE TileAsParent() : thread_block(cooperative_groups::this_thread_block()) {}
  HIPPORT_COMPAT_DEVICE static unsigned thread_rank() {
    return cooperative_groups::this_thread_block().thread_rank() % Size;
  }
  HIPPORT_COMPAT_DEVICE static unsigned size() { return Size; }
};

// For releases whose tiles lack these members.
template <unsigned Size, unsigned ParentSize>
HIPPORT_COMPAT_DEVICE unsigned meta_group_rank(
    const cooperative_groups::thread_block_tile<Size, TileAsParent<ParentSize>>&) {
  return TileAsParent<ParentSize>::thread_rank() / Size;
}
template <unsigned Size, unsigned ParentSize>
HIPPORT_COMPAT_DEVICE unsigned meta_group_size(
    const cooperative_groups::thread_block_tile<Size, TileAsParent<ParentSize>>&) {
  return ParentSize / Size;
}

}  // namespace compat
}  // namespace hipport

namespace cooperative_groups {

template <unsigned Size, unsigned ParentSize, class Grandparent>
HIPPORT_COMPAT_DEVICE thread_block_tile<Size, hipport::compat::TileAsParent<ParentSize>> tiled_partition(
    const thread_block_tile<ParentSize, Grandparent>&) {
  static_assert(Size <= ParentSize, "a tile cannot be larger than the group that it divides");
  return impl::tiled_partition_internal<Size, hipport::compat::TileAsParent<ParentSize>>();
}

namespace impl {

template <unsigned Size, unsigned ParentSize>
struct tiled_partition_internal<Size, hipport::compat::TileAsParent<ParentSize>>
    : public thread_block_tile<Size, hipport::compat::TileAsParent<ParentSize>> {
  HIPPORT_COMPAT_DEVICE tiled_partition_internal()
      : thread_block_tile<Size, hipport::compat::TileAsParent<ParentSize>>(
            hipport::compat::TileAsParent<ParentSize>()) {}
};

}  // namespace impl
}  // namespace cooperative_groups
#endif

#endif  // HIPPORT_COMPAT_HIP
#endif

#endif
