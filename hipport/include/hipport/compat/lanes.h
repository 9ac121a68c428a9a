// SPDX-License-Identifier: MIT
// Votes and matches as CUDA has them, on wavefronts of 32 and of 64 lanes.
//
// `hipport::warp32` takes a warp to be 32 lanes: each half of a wavefront of 64 is a warp of its own, and masks have 32
// bits. `hipport::wavefront` takes it to be all lanes, with masks of 64 bits. As in CUDA, all lanes that a mask names
// call a function together; without a mask, all lanes of the warp that are active.
#ifndef HIPPORT_COMPAT_LANES_H
#define HIPPORT_COMPAT_LANES_H

#include <hip/hip_runtime.h>

#include <string.h>

#include <type_traits>

#if defined(__HIP_PLATFORM_NVIDIA__) || defined(__HIP_PLATFORM_NVCC__)
#define HIPPORT_LANES_NVIDIA 1
#endif

// On the CPU, lanes that call without a mask meet by the place of the call: that of the caller, not one in here.
#if defined(__HIPPORT_CPU__)
#define HIPPORT_LANES_CALLER HIPPORT_CALLER
#define HIPPORT_LANES_AND_CALLER , HIPPORT_CALLER
#define HIPPORT_LANES_HERE hipport_file, hipport_line
#else
#define HIPPORT_LANES_CALLER
#define HIPPORT_LANES_AND_CALLER
#define HIPPORT_LANES_HERE
#endif

namespace hipport {
namespace lanes_detail {

// A mask has a bit for each lane of the wavefront. AMD GPUs have no use for it: those lanes are active.

__device__ inline unsigned long long ballot(unsigned long long mask, bool predicate) {
#if defined(HIPPORT_LANES_NVIDIA)
  return __ballot_sync(static_cast<unsigned>(mask), predicate);
#elif defined(__HIPPORT_CPU__)
  return __ballot_sync(mask, predicate);
#else
  return __ballot(predicate) & mask;
#endif
}

template <typename T>
__device__ inline T from_lane(unsigned long long mask, T value, int lane, int width) {
#if defined(HIPPORT_LANES_NVIDIA)
  return __shfl_sync(static_cast<unsigned>(mask), value, lane, width);
#elif defined(__HIPPORT_CPU__)
  return __shfl_sync(mask, value, lane, width);
#else
  (void)mask;
  return __shfl(value, lane, width);
#endif
}

__device__ inline unsigned long long active(HIPPORT_LANES_CALLER) {
#if defined(HIPPORT_LANES_NVIDIA) || defined(__HIPPORT_CPU__)
  return __activemask(HIPPORT_LANES_HERE);
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

// Whether two values have the same bits: a NaN matches itself, and 0.0 does not match -0.0.
template <typename T>
__device__ inline bool same_bits(T a, T b) {
  static_assert(sizeof(T) <= 8, "values of up to 8 bytes can be matched");
  unsigned long long bits_a = 0, bits_b = 0;
  __builtin_memcpy(&bits_a, &a, sizeof(T));
  __builtin_memcpy(&bits_b, &b, sizeof(T));
  return bits_a == bits_b;
}

#if defined(HIPPORT_LANES_NVIDIA)
// CUDA matches words; the bits of smaller values are those of a word.
template <typename T>
__device__ inline typename std::conditional<sizeof(T) <= 4, unsigned, unsigned long long>::type word(T value) {
  static_assert(sizeof(T) <= 8, "values of up to 8 bytes can be matched");
  typename std::conditional<sizeof(T) <= 4, unsigned, unsigned long long>::type bits = 0;
  memcpy(&bits, &value, sizeof(T));
  return bits;
}
#endif

// The lanes of a group of `width`, from `first` on, that hold the same value; bit 0 stands for lane `first`.
template <typename T>
__device__ inline unsigned long long equal(unsigned long long mask, T value, unsigned first, int width) {
#if defined(HIPPORT_LANES_NVIDIA)
  (void)width;
  return __match_any_sync(static_cast<unsigned>(mask), word(value)) >> first;
#else
  unsigned long long same = 0;
  for (int lane = 0; lane < width; ++lane) {
    const bool equals = same_bits(from_lane(mask, value, lane, width), value);
    if (equals) same |= 1ull << lane;
  }
  return same & (mask >> first);
#endif
}

}  // namespace lanes_detail

namespace warp32 {

// The place of lane 0 of this warp in the wavefront: 0, or 32 for the upper half of a wavefront of 64.
__device__ inline unsigned first_lane() {
#if defined(HIPPORT_LANES_NVIDIA)
  return 0;
#else
  return lanes_detail::lane_id() & 32u;
#endif
}

__device__ inline unsigned lane_id() { return lanes_detail::lane_id() & 31u; }

// A mask of this warp as one of the wavefront.
__device__ inline unsigned long long in_wavefront(unsigned mask) {
  return static_cast<unsigned long long>(mask) << first_lane();
}

__device__ inline unsigned activemask(HIPPORT_LANES_CALLER) {
  return static_cast<unsigned>(lanes_detail::active(HIPPORT_LANES_HERE) >> first_lane());
}

__device__ inline unsigned ballot(unsigned mask, bool predicate) {
  return static_cast<unsigned>(lanes_detail::ballot(in_wavefront(mask), predicate) >> first_lane());
}
#if defined(HIPPORT_LANES_NVIDIA)
__device__ inline int any(unsigned mask, bool predicate) { return __any_sync(mask, predicate); }
__device__ inline int all(unsigned mask, bool predicate) { return __all_sync(mask, predicate); }
#else
__device__ inline int any(unsigned mask, bool predicate) { return ballot(mask, predicate) != 0; }
__device__ inline int all(unsigned mask, bool predicate) { return ballot(mask, !predicate) == 0; }
#endif

// Without a mask, as before CUDA 9.
__device__ inline unsigned ballot(bool predicate HIPPORT_LANES_AND_CALLER) {
  return ballot(activemask(HIPPORT_LANES_HERE), predicate);
}
__device__ inline int any(bool predicate HIPPORT_LANES_AND_CALLER) {
  return any(activemask(HIPPORT_LANES_HERE), predicate);
}
__device__ inline int all(bool predicate HIPPORT_LANES_AND_CALLER) {
  return all(activemask(HIPPORT_LANES_HERE), predicate);
}

// The lanes of `mask` that hold the same value as this one.
template <typename T>
__device__ inline unsigned match_any(unsigned mask, T value) {
  return static_cast<unsigned>(lanes_detail::equal(in_wavefront(mask), value, first_lane(), 32));
}

// `mask` if all its lanes hold the same value, else 0.
template <typename T>
__device__ inline unsigned match_all(unsigned mask, T value, int* predicate) {
#if defined(HIPPORT_LANES_NVIDIA)
  return __match_all_sync(mask, lanes_detail::word(value), predicate);
#else
  const int leader = __ffs(static_cast<int>(mask)) - 1;
  const T first = lanes_detail::from_lane(in_wavefront(mask), value, leader, 32);
  *predicate = all(mask, lanes_detail::same_bits(first, value));
  return *predicate ? mask : 0u;
#endif
}

}  // namespace warp32

namespace wavefront {

// A mask of 32 bits that names all lanes of a warp in CUDA means all that are active here.
template <typename Mask>
__device__ inline unsigned long long lanes(Mask mask, unsigned long long active) {
  const bool full = sizeof(Mask) < 8 && static_cast<unsigned>(mask) == 0xffffffffu;
  return full ? active : static_cast<unsigned long long>(mask) & active;
}

template <typename Mask, typename T>
__device__ inline unsigned long long match_any(Mask mask, T value HIPPORT_LANES_AND_CALLER) {
  return lanes_detail::equal(lanes(mask, lanes_detail::active(HIPPORT_LANES_HERE)), value, 0, warpSize);
}

template <typename Mask, typename T>
__device__ inline unsigned long long match_all(Mask mask, T value, int* predicate HIPPORT_LANES_AND_CALLER) {
  const unsigned long long named = lanes(mask, lanes_detail::active(HIPPORT_LANES_HERE));
  const int leader = __ffsll(static_cast<long long>(named)) - 1;
  const T first = lanes_detail::from_lane(named, value, leader, warpSize);
  *predicate = lanes_detail::ballot(named, !lanes_detail::same_bits(first, value)) == 0;
  return *predicate ? named : 0ull;
}

}  // namespace wavefront
}  // namespace hipport

#undef HIPPORT_LANES_CALLER
#undef HIPPORT_LANES_AND_CALLER
#undef HIPPORT_LANES_HERE
#undef HIPPORT_LANES_NVIDIA

#endif
