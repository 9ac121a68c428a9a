// SPDX-License-Identifier: MIT
// CUDA's votes, matches and reductions of a warp, under their own names, for files that overload them for types of
// theirs: a call may mean either, by the type of its value. A warp is 32 lanes, each half of a wavefront of 64.
#ifndef HIPPORT_COMPAT_LANE_OVERLOADS_H
#define HIPPORT_COMPAT_LANE_OVERLOADS_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP)
#include "lanes.h"
#include "reduce.h"

// Functions instead of templates for any mask: those of ROCm 7, which work on the whole wavefront, are templates.
#define HIPPORT_COMPAT_MATCH(Mask, T)                                                   \
  HIPPORT_COMPAT_DEVICE unsigned __match_any_sync(Mask mask, T value) {                 \
    return ::hipport::warp32::match_any(static_cast<unsigned>(mask), value);            \
  }                                                                                     \
  HIPPORT_COMPAT_DEVICE unsigned __match_all_sync(Mask mask, T value, int* predicate) { \
    return ::hipport::warp32::match_all(static_cast<unsigned>(mask), value, predicate); \
  }
#define HIPPORT_COMPAT_REDUCE(Mask, what, T)                           \
  HIPPORT_COMPAT_DEVICE T __reduce_##what##_sync(Mask mask, T value) { \
    return ::hipport::warp32::reduce_##what(mask, value);              \
  }
#define HIPPORT_COMPAT_LANES(Mask)                                                 \
  HIPPORT_COMPAT_DEVICE unsigned __ballot_sync(Mask mask, int predicate) {         \
    return ::hipport::warp32::ballot(static_cast<unsigned>(mask), predicate != 0); \
  }                                                                                \
  HIPPORT_COMPAT_DEVICE int __any_sync(Mask mask, int predicate) {                 \
    return ::hipport::warp32::any(static_cast<unsigned>(mask), predicate != 0);    \
  }                                                                                \
  HIPPORT_COMPAT_DEVICE int __all_sync(Mask mask, int predicate) {                 \
    return ::hipport::warp32::all(static_cast<unsigned>(mask), predicate != 0);    \
  }                                                                                \
  HIPPORT_COMPAT_MATCH(Mask, int)                                                  \
  HIPPORT_COMPAT_MATCH(Mask, unsigned)                                             \
  HIPPORT_COMPAT_MATCH(Mask, long)                                                 \
  HIPPORT_COMPAT_MATCH(Mask, unsigned long)                                        \
  HIPPORT_COMPAT_MATCH(Mask, long long)                                            \
  HIPPORT_COMPAT_MATCH(Mask, unsigned long long)                                   \
  HIPPORT_COMPAT_MATCH(Mask, float)                                                \
  HIPPORT_COMPAT_MATCH(Mask, double)                                               \
  HIPPORT_COMPAT_REDUCE(Mask, add, int)                                            \
  HIPPORT_COMPAT_REDUCE(Mask, add, unsigned)                                       \
  HIPPORT_COMPAT_REDUCE(Mask, min, int)                                            \
  HIPPORT_COMPAT_REDUCE(Mask, min, unsigned)                                       \
  HIPPORT_COMPAT_REDUCE(Mask, max, int)                                            \
  HIPPORT_COMPAT_REDUCE(Mask, max, unsigned)                                       \
  HIPPORT_COMPAT_REDUCE(Mask, and, unsigned)                                       \
  HIPPORT_COMPAT_REDUCE(Mask, or, unsigned)                                        \
  HIPPORT_COMPAT_REDUCE(Mask, xor, unsigned)
HIPPORT_COMPAT_LANES(int)
HIPPORT_COMPAT_LANES(unsigned)
HIPPORT_COMPAT_LANES(long)
HIPPORT_COMPAT_LANES(unsigned long)
HIPPORT_COMPAT_LANES(long long)
HIPPORT_COMPAT_LANES(unsigned long long)
#undef HIPPORT_COMPAT_LANES
#undef HIPPORT_COMPAT_REDUCE
#undef HIPPORT_COMPAT_MATCH

#endif

#endif

#endif
