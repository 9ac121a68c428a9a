// SPDX-License-Identifier: MIT
// CUDA's votes and matches on wavefronts of 32 and of 64 lanes.
//
// `hipport::warp32` treats a warp as 32 lanes: each half of a 64-lane wavefront is a warp, and masks have 32 bits.
// `hipport::wavefront` treats all lanes as the warp, with masks of 64 bits. As in CUDA, all lanes that a mask names
// must call a function together; without a mask, all active lanes of the warp take part.
#ifndef HIPPORT_COMPAT_LANES_H
#define HIPPORT_COMPAT_LANES_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include <hip/hip_runtime.h>

#include <string.h>

#include <type_traits>

#include "maybe_undef.h"

#if defined(__HIP_PLATFORM_NVIDIA__) || defined(__HIP_PLATFORM_NVCC__)
#define HIPPORT_LANES_NVIDIA 1
#endif

// On the CPU, lanes that call without a mask are matched by call site, which must be the caller's, not one in this
// header. On AMD GPUs, the call site keeps the compiler from merging such calls.
#if defined(__HIPPORT_CPU__)
#define HIPPORT_LANES_CALLER HIPPORT_CALLER
#define HIPPORT_LANES_AND_CALLER , HIPPORT_CALLER
#define HIPPORT_LANES_HERE hipport_file, hipport_place
#elif !defined(HIPPORT_LANES_NVIDIA)
#define HIPPORT_LANES_CALLER                       \
  hipport::lanes_detail::call_site hipport_place = \
      hipport::lanes_detail::call_site(__builtin_LINE(), __builtin_COLUMN())
#define HIPPORT_LANES_AND_CALLER , HIPPORT_LANES_CALLER
#define HIPPORT_LANES_HERE hipport_place
#else
#define HIPPORT_LANES_CALLER
#define HIPPORT_LANES_AND_CALLER
#define HIPPORT_LANES_HERE
#endif

namespace hipport {
namespace lanes_detail {

// A type of its own, so that no argument becomes one: `ballot(mask, 1u)` is not one without a mask.
struct call_site {
  __host__ __device__ constexpr call_site(unsigned line, unsigned column) : number(line * 512u + column) {}
  unsigned number;
};

// Masks here have one bit per lane of the wavefront. AMD GPUs ignore them, because the named lanes are active.

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
__device__ inline T from_lane(unsigned long long mask, HIPPORT_MAYBE_UNDEF T value, int lane, int width) {
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
#elif defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__
  // Some releases of clang merge equal calls in both branches of an `if`, where other lanes are active: they move them
  // in front of the `if` (the first statement forbids it) or behind it (the second).
  asm volatile("; %0" : : "s"(hipport_place.number));
  unsigned long long lanes = __ballot(1);
  asm volatile("" : "+s"(lanes));
  return lanes;
#else
  (void)hipport_place;
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

// Return whether two values have the same bits: a NaN matches itself, and 0.0 does not match -0.0.
template <typename T>
__device__ inline bool same_bits(HIPPORT_MAYBE_UNDEF T a, HIPPORT_MAYBE_UNDEF T b) {
  static_assert(sizeof(T) <= 8, "values of up to 8 bytes can be matched");
  unsigned long long bits_a = 0, bits_b = 0;
  __builtin_memcpy(&bits_a, &a, sizeof(T));
  __builtin_memcpy(&bits_b, &b, sizeof(T));
  return bits_a == bits_b;
}

#if defined(HIPPORT_LANES_NVIDIA)
// CUDA matches only 4-byte and 8-byte words; smaller values are zero-extended.
template <typename T>
__device__ inline typename std::conditional<sizeof(T) <= 4, unsigned, unsigned long long>::type word(
    HIPPORT_MAYBE_UNDEF T value) {
  static_assert(sizeof(T) <= 8, "values of up to 8 bytes can be matched");
  typename std::conditional<sizeof(T) <= 4, unsigned, unsigned long long>::type bits = 0;
  memcpy(&bits, &value, sizeof(T));
  return bits;
}
#endif

// Return the lanes that hold the same value, among `width` lanes beginning at `first`; bit 0 stands for lane `first`.
template <typename T>
__device__ inline unsigned long long equal(unsigned long long mask, HIPPORT_MAYBE_UNDEF T value, unsigned first,
                                           int width) {
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

// Return the wavefront lane of this warp's lane 0: 32 in the upper half of a 64-lane wavefront, else 0.
__device__ inline unsigned first_lane() {
#if defined(HIPPORT_LANES_NVIDIA)
  return 0;
#else
  return lanes_detail::lane_id() & 32u;
#endif
}

__device__ inline unsigned lane_id() { return lanes_detail::lane_id() & 31u; }

// Convert a mask of this warp to a mask of the wavefront.
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

// Votes without a mask, as before CUDA 9.
__device__ inline unsigned ballot(bool predicate HIPPORT_LANES_AND_CALLER) {
  return ballot(activemask(HIPPORT_LANES_HERE), predicate);
}
__device__ inline int any(bool predicate HIPPORT_LANES_AND_CALLER) {
  return any(activemask(HIPPORT_LANES_HERE), predicate);
}
__device__ inline int all(bool predicate HIPPORT_LANES_AND_CALLER) {
  return all(activemask(HIPPORT_LANES_HERE), predicate);
}

// Return the lanes of `mask` that hold the same value as this one.
template <typename T>
__device__ inline unsigned match_any(unsigned mask, HIPPORT_MAYBE_UNDEF T value) {
  return static_cast<unsigned>(lanes_detail::equal(in_wavefront(mask), value, first_lane(), 32));
}

// Return `mask` if all its lanes hold the same value, else 0.
template <typename T>
__device__ inline unsigned match_all(unsigned mask, HIPPORT_MAYBE_UNDEF T value, int* predicate) {
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

// A 32-bit mask that names all lanes of a warp in CUDA stands for all active lanes here.
template <typename Mask>
__device__ inline unsigned long long lanes(Mask mask, unsigned long long active) {
  const bool full = sizeof(Mask) < 8 && static_cast<unsigned>(mask) == 0xffffffffu;
  return full ? active : static_cast<unsigned long long>(mask) & active;
}

template <typename Mask, typename T>
__device__ inline unsigned long long match_any(Mask mask, HIPPORT_MAYBE_UNDEF T value HIPPORT_LANES_AND_CALLER) {
  return lanes_detail::equal(lanes(mask, lanes_detail::active(HIPPORT_LANES_HERE)), value, 0, warpSize);
}

template <typename Mask, typename T>
__device__ inline unsigned long long match_all(Mask mask, HIPPORT_MAYBE_UNDEF T value,
                                               int* predicate HIPPORT_LANES_AND_CALLER) {
  const unsigned long long named = lanes(mask, lanes_detail::active(HIPPORT_LANES_HERE));
  const int leader = __ffsll(static_cast<long long>(named)) - 1;
  const T first = lanes_detail::from_lane(named, value, leader, warpSize);
  *predicate = lanes_detail::ballot(named, !lanes_detail::same_bits(first, value)) == 0;
  return *predicate ? named : 0ull;
}

}  // namespace wavefront
}  // namespace hipport

#endif

#endif
