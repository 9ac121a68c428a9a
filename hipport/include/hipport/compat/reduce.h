// SPDX-License-Identifier: MIT
// CUDA's `__reduce_*_sync`: `hipport::warp32` treats a warp as 32 lanes, each half of a 64-lane wavefront by itself.
//
// A 32-bit mask names lanes of the half that the calling lane is in. A 64-bit mask, as `__ballot` returns it, names
// lanes of the wavefront; lanes in the other half do not take part. As in CUDA, all lanes that a mask names must call a
// function together.
#ifndef HIPPORT_COMPAT_REDUCE_H
#define HIPPORT_COMPAT_REDUCE_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP)
#include "lanes.h"

namespace hipport {
namespace compat {

// Return the lanes of this half of the wavefront that a mask names.
template <typename Mask>
HIPPORT_COMPAT_DEVICE unsigned half_of(Mask mask, unsigned lane) {
  const uint64_t all = static_cast<uint64_t>(mask);
  const bool of_wavefront = sizeof(Mask) == 8 && ((all >> lane) & 1u) != 0;
  return static_cast<unsigned>(of_wavefront ? all >> (lane & 32u) : all);
}

struct Plus {
  template <typename T>
  HIPPORT_COMPAT_DEVICE T operator()(T a, T b) const {
    return a + b;
  }
};
struct Lesser {
  template <typename T>
  HIPPORT_COMPAT_DEVICE T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct Greater {
  template <typename T>
  HIPPORT_COMPAT_DEVICE T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
struct And {
  template <typename T>
  HIPPORT_COMPAT_DEVICE T operator()(T a, T b) const {
    return a & b;
  }
};
struct Or {
  template <typename T>
  HIPPORT_COMPAT_DEVICE T operator()(T a, T b) const {
    return a | b;
  }
};
struct Xor {
  template <typename T>
  HIPPORT_COMPAT_DEVICE T operator()(T a, T b) const {
    return a ^ b;
  }
};

// Combine the values of the lanes in `mask`, which must all be active.
template <typename Mask, typename T, typename Operation>
HIPPORT_COMPAT_DEVICE T reduce_lanes(Mask mask, HIPPORT_MAYBE_UNDEF T value, Operation combine) {
  const unsigned lane = __lane_id(), named = half_of(mask, lane);
  const unsigned long long lanes = warp32::in_wavefront(named);
  if (named == 0xffffffffu) {
    for (unsigned distance = 16; distance > 0; distance /= 2) {
      value = combine(value, lanes_detail::from_lane(lanes, value, static_cast<int>((lane & 31u) ^ distance), 32));
    }
    return value;
  }
  T result = lanes_detail::from_lane(lanes, value, __ffs(static_cast<int>(named)) - 1, 32);
  for (unsigned left = named & (named - 1); left != 0; left &= left - 1) {
    result = combine(result, lanes_detail::from_lane(lanes, value, __ffs(static_cast<int>(left)) - 1, 32));
  }
  return result;
}

}  // namespace compat

namespace warp32 {

#define HIPPORT_COMPAT_REDUCE(name, T, Operation)                        \
  template <typename Mask>                                               \
  HIPPORT_COMPAT_DEVICE T name(Mask mask, HIPPORT_MAYBE_UNDEF T value) { \
    return compat::reduce_lanes(mask, value, compat::Operation());       \
  }
HIPPORT_COMPAT_REDUCE(reduce_add, int, Plus)
HIPPORT_COMPAT_REDUCE(reduce_add, unsigned, Plus)
HIPPORT_COMPAT_REDUCE(reduce_min, int, Lesser)
HIPPORT_COMPAT_REDUCE(reduce_min, unsigned, Lesser)
HIPPORT_COMPAT_REDUCE(reduce_max, int, Greater)
HIPPORT_COMPAT_REDUCE(reduce_max, unsigned, Greater)
HIPPORT_COMPAT_REDUCE(reduce_and, unsigned, And)
HIPPORT_COMPAT_REDUCE(reduce_or, unsigned, Or)
HIPPORT_COMPAT_REDUCE(reduce_xor, unsigned, Xor)
#undef HIPPORT_COMPAT_REDUCE

}  // namespace warp32
}  // namespace hipport

#elif defined(HIPPORT_COMPAT_CUDA)

namespace hipport {
namespace warp32 {

#define HIPPORT_COMPAT_REDUCE(what, T) \
  __device__ inline T reduce_##what(unsigned mask, T value) { return __reduce_##what##_sync(mask, value); }
HIPPORT_COMPAT_REDUCE(add, int)
HIPPORT_COMPAT_REDUCE(add, unsigned)
HIPPORT_COMPAT_REDUCE(min, int)
HIPPORT_COMPAT_REDUCE(min, unsigned)
HIPPORT_COMPAT_REDUCE(max, int)
HIPPORT_COMPAT_REDUCE(max, unsigned)
HIPPORT_COMPAT_REDUCE(and, unsigned)
HIPPORT_COMPAT_REDUCE(or, unsigned)
HIPPORT_COMPAT_REDUCE(xor, unsigned)
#undef HIPPORT_COMPAT_REDUCE

}  // namespace warp32
}  // namespace hipport

#endif

#endif

#endif
