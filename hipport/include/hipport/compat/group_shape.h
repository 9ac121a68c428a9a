// SPDX-License-Identifier: MIT
// `num_threads()`, `dim_threads()`, `num_blocks()` and the like of groups, which HIP's groups lack, and sizes of tiles
// as constants.
//
// The names are those of other classes, too, so an object's own member is preferred.
#ifndef HIPPORT_COMPAT_GROUP_SHAPE_H
#define HIPPORT_COMPAT_GROUP_SHAPE_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP)
#include <hip/hip_cooperative_groups.h>
#else
#include <cooperative_groups.h>
#endif

#include <type_traits>

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

// The number of threads of a tile's type, as a constant: HIP's `size()` is none, and its tiles have no `num_threads()`.
namespace shape {

template <unsigned Size>
struct Threads {
  static constexpr unsigned value = Size;
};
template <unsigned Size, typename Parent>
Threads<Size> threads_of(const cooperative_groups::thread_block_tile<Size, Parent>*);

template <typename Group>
HIPPORT_COMPAT constexpr auto static_size(int) -> decltype(Group::num_threads()) {
  return Group::num_threads();
}
template <typename Type>
HIPPORT_COMPAT constexpr auto static_size(long) -> decltype(Type::size()) {  // of a type that is no group
  return Type::size();
}
template <typename Group, typename = void>
struct TileSize {
  HIPPORT_COMPAT static constexpr auto value() -> decltype(static_size<Group>(0)) { return static_size<Group>(0); }
};
template <typename Group>
struct TileSize<Group, decltype(void(threads_of(static_cast<Group*>(nullptr))))> {
  HIPPORT_COMPAT static constexpr unsigned value() { return decltype(threads_of(static_cast<Group*>(nullptr)))::value; }
};

}  // namespace shape

template <typename Group, typename Plain = typename std::remove_cv<typename std::remove_reference<Group>::type>::type>
HIPPORT_COMPAT constexpr auto tile_size() -> decltype(shape::TileSize<Plain>::value()) {
  return shape::TileSize<Plain>::value();
}

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
