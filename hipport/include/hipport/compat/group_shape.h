// SPDX-License-Identifier: MIT
// `num_threads()`, `dim_threads()`, `num_blocks()` and the like of groups, which HIP's groups lack.
//
// The names are those of other classes, too, so an object's own member is preferred.
#ifndef HIPPORT_COMPAT_GROUP_SHAPE_H
#define HIPPORT_COMPAT_GROUP_SHAPE_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP)
#include <hip/hip_cooperative_groups.h>
#endif

namespace hipport {
namespace compat {

#if defined(HIPPORT_COMPAT_HIP)

namespace shape {

template <typename Group>
HIPPORT_COMPAT_DEVICE auto num_threads(const Group& group, long) -> decltype(group.size()) {
  return group.size();
}

HIPPORT_COMPAT_DEVICE dim3 dim_threads(const cooperative_groups::thread_block&, long) {
  return dim3(blockDim.x, blockDim.y, blockDim.z);
}
HIPPORT_COMPAT_DEVICE dim3 dim_threads(const cooperative_groups::grid_group&, long) {
  return dim3(gridDim.x * blockDim.x, gridDim.y * blockDim.y, gridDim.z * blockDim.z);
}

HIPPORT_COMPAT_DEVICE unsigned long long num_blocks(const cooperative_groups::grid_group&, long) {
  return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
}
HIPPORT_COMPAT_DEVICE dim3 dim_blocks(const cooperative_groups::grid_group&, long) {
  return dim3(gridDim.x, gridDim.y, gridDim.z);
}
HIPPORT_COMPAT_DEVICE unsigned long long block_rank(const cooperative_groups::grid_group&, long) {
  return blockIdx.x + static_cast<unsigned long long>(gridDim.x) * (blockIdx.y + gridDim.y * blockIdx.z);
}
HIPPORT_COMPAT_DEVICE dim3 block_index(const cooperative_groups::grid_group&, long) {
  return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
}

}  // namespace shape

#endif

#define HIPPORT_COMPAT_SHAPE(name)                                             \
  namespace shape {                                                            \
  template <typename Group>                                                    \
  HIPPORT_COMPAT auto name(Group& group, int) -> decltype(group.name()) {      \
    return group.name();                                                       \
  }                                                                            \
  }                                                                            \
  template <typename Group>                                                    \
  HIPPORT_COMPAT auto name(Group&& group) -> decltype(shape::name(group, 0)) { \
    return shape::name(group, 0);                                              \
  }
HIPPORT_COMPAT_SHAPE(num_threads)
HIPPORT_COMPAT_SHAPE(dim_threads)
HIPPORT_COMPAT_SHAPE(num_blocks)
HIPPORT_COMPAT_SHAPE(dim_blocks)
HIPPORT_COMPAT_SHAPE(block_rank)
HIPPORT_COMPAT_SHAPE(block_index)
#undef HIPPORT_COMPAT_SHAPE

}  // namespace compat
}  // namespace hipport

#endif

#endif
