// Shared by the headers in hipport/ptx.
//
// The functions implement PTX instructions in C++ that every target compiles: AMD GPUs, NVIDIA GPUs, CPUs. hipport's
// translation of inline assembly includes the headers that it needs.
#ifndef HIPPORT_PTX_CORE_H
#define HIPPORT_PTX_CORE_H

#include <stdint.h>
#include <string.h>

#if defined(__CUDACC__) || defined(__HIPCC__) || defined(__HIP__)
#define HIPPORT_PTX __host__ __device__ inline
#define HIPPORT_PTX_MEMBER __host__ __device__
#define HIPPORT_PTX_DEVICE __device__ inline
#else
#define HIPPORT_PTX inline
#define HIPPORT_PTX_MEMBER
#define HIPPORT_PTX_DEVICE inline
#endif

// Exact arithmetic relies on products and sums not being fused.
#if defined(__clang__)
#define HIPPORT_PTX_NO_FUSING _Pragma("clang fp contract(off)")
#else
#define HIPPORT_PTX_NO_FUSING
#endif

// Small arrays stay in registers only if loops over them are unrolled early; clang 15 needs the pragma for that.
#if defined(__clang__)
#define HIPPORT_PTX_UNROLL _Pragma("unroll")
#else
#define HIPPORT_PTX_UNROLL
#endif

namespace hipport {
namespace ptx {

// Return the bits of a value as another type of the same size.
template <typename To, typename From>
HIPPORT_PTX To bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "types must have the same size");
  To to;
  memcpy(&to, &from, sizeof(to));
  return to;
}

// Assign a 64-bit result to a variable that may be a pointer.
template <typename T>
HIPPORT_PTX void set(T& variable, uint64_t value) {
  variable = (T)value;
}

template <typename T>
struct Integer;
template <>
struct Integer<uint8_t> {
  typedef uint8_t Unsigned;
  typedef int8_t Signed;
  typedef uint16_t Wide;
};
template <>
struct Integer<int8_t> {
  typedef uint8_t Unsigned;
  typedef int8_t Signed;
  typedef int16_t Wide;
};
template <>
struct Integer<uint16_t> {
  typedef uint16_t Unsigned;
  typedef int16_t Signed;
  typedef uint32_t Wide;
};
template <>
struct Integer<int16_t> {
  typedef uint16_t Unsigned;
  typedef int16_t Signed;
  typedef int32_t Wide;
};
template <>
struct Integer<uint32_t> {
  typedef uint32_t Unsigned;
  typedef int32_t Signed;
  typedef uint64_t Wide;
};
template <>
struct Integer<int32_t> {
  typedef uint32_t Unsigned;
  typedef int32_t Signed;
  typedef int64_t Wide;
};
template <>
struct Integer<uint64_t> {
  typedef uint64_t Unsigned;
  typedef int64_t Signed;
  typedef unsigned __int128 Wide;
};
template <>
struct Integer<int64_t> {
  typedef uint64_t Unsigned;
  typedef int64_t Signed;
  typedef __int128 Wide;
};

template <typename T>
HIPPORT_PTX bool is_signed() {
  return T(-1) < T(0);
}

}  // namespace ptx
}  // namespace hipport

#endif
