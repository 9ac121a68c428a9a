// Votes and matches as CUDA has them, on wavefronts of 32 and of 64 lanes.
//
// `hipport::warp32` takes a warp to be 32 lanes: each half of a wavefront of 64 is a warp of its own, and masks have 32
// bits. `hipport::wavefront` takes it to be all lanes, with masks of 64 bits. As in CUDA, all lanes that a mask names
// call a function together; without a mask, all lanes of the warp that are active.
#ifndef HIPPORT_COMPAT_LANES_H
#define HIPPORT_COMPAT_LANES_H

#include <hip/hip_runtime.h>

#if defined(__HIP_PLATFORM_NVIDIA__) || defined(__HIP_PLATFORM_NVCC__)
#define HIPPORT_LANES_NVIDIA 1
#endif

namespace hipport {
namespace lanes_detail {

// A ballot of the whole wavefront. NVIDIA GPUs name the lanes that take part.
__device__ inline unsigned long long wave_ballot(unsigned long long mask, bool predicate) {
#if defined(HIPPORT_LANES_NVIDIA)
  return __ballot_sync(static_cast<unsigned>(mask), predicate);
#else
  (void)mask;
  return __ballot(predicate);
#endif
}

__device__ inline unsigned long long wave_active() {
#if defined(HIPPORT_LANES_NVIDIA)
  return __activemask();
#else
  return __ballot(1);
#endif
}

__device__ inline unsigned lane_id() {
#if defined(HIPPORT_LANES_NVIDIA)
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
#else
  return __lane_id();
#endif
}

template <typename T>
__device__ inline T from_lane(unsigned long long mask, T value, int lane, int width) {
#if defined(HIPPORT_LANES_NVIDIA)
  return __shfl_sync(static_cast<unsigned>(mask), value, lane, width);
#else
  (void)mask;
  return __shfl(value, lane, width);
#endif
}

// Whether two values have the same bits: a NaN matches itself, and 0.0 does not match -0.0.
template <typename T>
__device__ inline bool same_bits(T a, T b) {
  static_assert(sizeof(T) <= 8, "values of up to 8 bytes can be matched");
  unsigned long long bits_a = 0, bits_b = 0;
  __builtin_memcpy(&bits_a, &a, sizeof(T));
  __builtin_memcpy(&bits_b, &b, sizeof(T));
  return bits_a == bits_b;
}

template <typename Mask, typename T>
__device__ inline Mask match_any(Mask mask, T value, int width) {
  Mask same = 0;
  for (int lane = 0; lane < width; ++lane) {
    const bool equal = same_bits(from_lane(mask, value, lane, width), value);
    if (equal) same |= Mask(1) << lane;
  }
  return same & mask;
}

}  // namespace lanes_detail

namespace warp32 {

// The place of the first lane of this warp in the wavefront: 0, or 32 for the upper half of a wavefront of 64.
__device__ inline unsigned first_lane() { return lanes_detail::lane_id() & 32u; }

__device__ inline unsigned lane_id() { return lanes_detail::lane_id() & 31u; }

__device__ inline unsigned activemask() { return static_cast<unsigned>(lanes_detail::wave_active() >> first_lane()); }

__device__ inline unsigned ballot(unsigned mask, bool predicate) {
  return static_cast<unsigned>(lanes_detail::wave_ballot(mask, predicate) >> first_lane()) & mask;
}
__device__ inline unsigned ballot(bool predicate) { return ballot(activemask(), predicate); }

__device__ inline int any(unsigned mask, bool predicate) { return ballot(mask, predicate) != 0; }
__device__ inline int any(bool predicate) { return ballot(predicate) != 0; }

__device__ inline int all(unsigned mask, bool predicate) { return ballot(mask, !predicate) == 0; }
__device__ inline int all(bool predicate) { return ballot(!predicate) == 0; }

// The lanes of `mask` that hold the same value as this one.
template <typename T>
__device__ inline unsigned match_any(unsigned mask, T value) {
  return lanes_detail::match_any(mask, value, 32);
}

// `mask` if all its lanes hold the same value, else 0.
template <typename T>
__device__ inline unsigned match_all(unsigned mask, T value, int* predicate) {
  const T first = lanes_detail::from_lane(mask, value, __ffs(static_cast<int>(mask)) - 1, 32);
  *predicate = all(mask, lanes_detail::same_bits(first, value));
  return *predicate ? mask : 0u;
}

}  // namespace warp32

namespace wavefront {

// Masks of 32 bits that name all lanes mean all lanes of the wavefront.
template <typename Mask>
__device__ inline unsigned long long whole(Mask mask) {
  const bool full = sizeof(Mask) < 8 && static_cast<unsigned>(mask) == 0xffffffffu;
  return full ? ~0ull : static_cast<unsigned long long>(mask);
}

template <typename Mask, typename T>
__device__ inline unsigned long long match_any(Mask mask, T value) {
  const unsigned long long lanes = whole(mask) & lanes_detail::wave_active();
  return lanes_detail::match_any(lanes, value, warpSize);
}

template <typename Mask, typename T>
__device__ inline unsigned long long match_all(Mask mask, T value, int* predicate) {
  const unsigned long long lanes = whole(mask) & lanes_detail::wave_active();
  const int leader = __ffsll(static_cast<long long>(lanes)) - 1;
  const T first = lanes_detail::from_lane(lanes, value, leader, warpSize);
  *predicate = (lanes_detail::wave_ballot(lanes, !lanes_detail::same_bits(first, value)) & lanes) == 0;
  return *predicate ? lanes : 0ull;
}

}  // namespace wavefront
}  // namespace hipport

#endif
