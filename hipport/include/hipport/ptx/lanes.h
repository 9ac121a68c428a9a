// PTX's cross-lane instructions. A PTX warp has 32 lanes: each half of a 64-lane wavefront is a warp.
#ifndef HIPPORT_PTX_LANES_H
#define HIPPORT_PTX_LANES_H

#include "../compat/device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "../compat/maybe_undef.h"
#include "core.h"

namespace hipport {
namespace ptx {

HIPPORT_PTX_DEVICE uint32_t lane_of_wavefront() {
#if defined(__CUDACC__)
  uint32_t lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
#else
  return uint32_t(__lane_id());
#endif
}

// Return the first lane of this warp in its wavefront: 0 or 32.
HIPPORT_PTX_DEVICE uint32_t first_lane() { return lane_of_wavefront() & 32u; }

HIPPORT_PTX_DEVICE uint32_t laneid() { return lane_of_wavefront() & 31u; }
HIPPORT_PTX_DEVICE uint32_t linear_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
HIPPORT_PTX_DEVICE uint32_t warpid() { return linear_thread() / 32; }
HIPPORT_PTX_DEVICE uint32_t nwarpid() { return (blockDim.x * blockDim.y * blockDim.z + 31) / 32; }
HIPPORT_PTX_DEVICE uint32_t lanemask_eq() { return 1u << laneid(); }
HIPPORT_PTX_DEVICE uint32_t lanemask_lt() { return lanemask_eq() - 1; }
HIPPORT_PTX_DEVICE uint32_t lanemask_le() { return lanemask_lt() | lanemask_eq(); }
HIPPORT_PTX_DEVICE uint32_t lanemask_gt() { return ~lanemask_le(); }
HIPPORT_PTX_DEVICE uint32_t lanemask_ge() { return ~lanemask_lt(); }

// Return the value of another lane of this warp; `mask` names the lanes that take part.
HIPPORT_PTX_DEVICE uint32_t read_lane(HIPPORT_MAYBE_UNDEF uint32_t value, uint32_t lane, uint32_t mask) {
#if defined(__HIPPORT_CPU__)
  return __shfl_sync(uint64_t(mask) << first_lane(), value, int(first_lane() + lane));
#elif defined(__CUDACC__)
  return __shfl_sync(mask, value, int(lane));
#else
  (void)mask;
  return uint32_t(__builtin_amdgcn_ds_bpermute(int((first_lane() + lane) << 2), int(value)));
#endif
}
HIPPORT_PTX_DEVICE uint64_t read_lane(HIPPORT_MAYBE_UNDEF uint64_t value, uint32_t lane, uint32_t mask) {
  const uint32_t low = read_lane(uint32_t(value), lane, mask), high = read_lane(uint32_t(value >> 32), lane, mask);
  return (uint64_t(high) << 32) | low;
}

// Return the lanes of this warp in `mask` whose predicate is true.
HIPPORT_PTX_DEVICE uint32_t vote_ballot(bool predicate, uint32_t mask) {
#if defined(__HIPPORT_CPU__)
  return uint32_t(__ballot_sync(uint64_t(mask) << first_lane(), predicate) >> first_lane()) & mask;
#elif defined(__CUDACC__)
  return __ballot_sync(mask, predicate);
#else
  return uint32_t(__ballot(predicate) >> first_lane()) & mask;
#endif
}
HIPPORT_PTX_DEVICE uint32_t activemask() {
#if defined(__CUDACC__)
  return __activemask();
#else
  return uint32_t(__ballot(1) >> first_lane());
#endif
}
HIPPORT_PTX_DEVICE bool vote_any(bool predicate, uint32_t mask) { return vote_ballot(predicate, mask) != 0; }
HIPPORT_PTX_DEVICE bool vote_all(bool predicate, uint32_t mask) { return vote_ballot(!predicate, mask) == 0; }
HIPPORT_PTX_DEVICE bool vote_uni(bool predicate, uint32_t mask) {
  const uint32_t yes = vote_ballot(predicate, mask);
  return yes == 0 || vote_ballot(!predicate, mask) == 0;
}

// Wait for the lanes of this warp, and make their writes visible to each other.
HIPPORT_PTX_DEVICE void warp_sync(uint32_t mask) {
#if defined(__HIPPORT_CPU__)
  __syncwarp(uint64_t(mask) << first_lane());
#elif defined(__CUDACC__)
  __syncwarp(mask);
#else
  (void)mask;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
#endif
}

// shfl: bits 4:0 of `clamp` bound the lanes to read from, bits 12:8 split the warp into segments.
HIPPORT_PTX_DEVICE uint32_t shfl_from(HIPPORT_MAYBE_UNDEF uint32_t value, uint32_t lane, bool in_range, uint32_t mask,
                                      bool* inside) {
  if (inside != nullptr) *inside = in_range;
  return read_lane(value, in_range ? lane : laneid(), mask);
}
HIPPORT_PTX_DEVICE uint32_t segment_first(uint32_t clamp) { return laneid() & (clamp >> 8) & 31; }
HIPPORT_PTX_DEVICE uint32_t segment_last(uint32_t clamp) { return segment_first(clamp) | (clamp & ~(clamp >> 8) & 31); }
HIPPORT_PTX_DEVICE uint32_t shfl_up(HIPPORT_MAYBE_UNDEF uint32_t a, uint32_t b, uint32_t clamp, uint32_t mask,
                                    bool* inside = nullptr) {
  const int lane = int(laneid()) - int(b & 31);
  return shfl_from(a, uint32_t(lane), lane >= int(segment_last(clamp)), mask, inside);
}
HIPPORT_PTX_DEVICE uint32_t shfl_down(HIPPORT_MAYBE_UNDEF uint32_t a, uint32_t b, uint32_t clamp, uint32_t mask,
                                      bool* inside = nullptr) {
  const uint32_t lane = laneid() + (b & 31);
  return shfl_from(a, lane, lane <= segment_last(clamp), mask, inside);
}
HIPPORT_PTX_DEVICE uint32_t shfl_bfly(HIPPORT_MAYBE_UNDEF uint32_t a, uint32_t b, uint32_t clamp, uint32_t mask,
                                      bool* inside = nullptr) {
  const uint32_t lane = laneid() ^ (b & 31);
  return shfl_from(a, lane, lane <= segment_last(clamp), mask, inside);
}
HIPPORT_PTX_DEVICE uint32_t shfl_idx(HIPPORT_MAYBE_UNDEF uint32_t a, uint32_t b, uint32_t clamp, uint32_t mask,
                                     bool* inside = nullptr) {
  const uint32_t lane = segment_first(clamp) | (b & ~(clamp >> 8) & 31);
  return shfl_from(a, lane, lane <= segment_last(clamp), mask, inside);
}

// Return the first lane of a mask.
HIPPORT_PTX_DEVICE uint32_t leader(uint32_t mask) { return uint32_t(__ffs(int(mask)) - 1); }

// Return the lanes of `mask` with the same value as this one.
template <typename T>
HIPPORT_PTX_DEVICE uint32_t match_any(HIPPORT_MAYBE_UNDEF T value, uint32_t mask) {
  uint32_t same = 0;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const uint32_t lane = leader(rest);
    if (read_lane(value, lane, mask) == value) same |= 1u << lane;
  }
  return same;
}
// Return `mask` if all its lanes have the same value, else 0.
template <typename T>
HIPPORT_PTX_DEVICE uint32_t match_all(HIPPORT_MAYBE_UNDEF T value, uint32_t mask, bool* same = nullptr) {
  const bool all = vote_all(read_lane(value, leader(mask), mask) == value, mask);
  if (same != nullptr) *same = all;
  return all ? mask : 0;
}

#define HIPPORT_PTX_REDUX(name, expression)                                       \
  template <typename T>                                                           \
  HIPPORT_PTX_DEVICE T redux_##name(HIPPORT_MAYBE_UNDEF T value, uint32_t mask) { \
    T a = T(read_lane(uint32_t(value), leader(mask), mask));                      \
    for (uint32_t rest = mask & (mask - 1); rest != 0; rest &= rest - 1) {        \
      const T b = T(read_lane(uint32_t(value), leader(rest), mask));              \
      a = expression;                                                             \
    }                                                                             \
    return a;                                                                     \
  }
HIPPORT_PTX_REDUX(add, T(uint32_t(a) + uint32_t(b)))
HIPPORT_PTX_REDUX(min, a < b ? a : b)
HIPPORT_PTX_REDUX(max, a < b ? b : a)
HIPPORT_PTX_REDUX(and, (a & b))
HIPPORT_PTX_REDUX(or, a | b)
HIPPORT_PTX_REDUX(xor, a ^ b)
#undef HIPPORT_PTX_REDUX

}  // namespace ptx
}  // namespace hipport

#endif

#endif
