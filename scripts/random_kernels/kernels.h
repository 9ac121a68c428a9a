// SPDX-License-Identifier: MIT
// What random kernels call. Results do not depend on the processor: NaNs have one pattern, conversions saturate.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#define SLOTS 32

template <typename T>
__device__ T smallest(T a, T b) {
  return a < b ? a : b;
}
template <typename T>
__device__ T largest(T a, T b) {
  return a < b ? b : a;
}
__device__ inline unsigned bits_of(float x) { return x != x ? 0x7fc00000u : __float_as_uint(x); }
__device__ inline unsigned long long bits_of(double x) {
  return x != x ? 0x7ff8000000000000ull : (unsigned long long)__double_as_longlong(x);
}
__device__ inline float canonical(float x) { return x != x ? __uint_as_float(0x7fc00000u) : x; }
__device__ inline float from_bits(unsigned bits) { return canonical(__uint_as_float(bits)); }
__device__ inline double from_bits(unsigned long long bits) {
  const double x = __longlong_as_double((long long)bits);
  return x != x ? __longlong_as_double(0x7ff8000000000000ll) : x;
}
// Clang up to 19 divides unsigned numbers wrongly if they are small as signed ones: the sign is cut off.
__device__ inline unsigned modulo(unsigned x, unsigned by) { return (x & 0x7fffffffu) % by; }
template <typename T>
__device__ int to_integer(T x) {
  return x > T(-2147483000.0) && x < T(2147483000.0) ? (int)x : x != x ? 77 : 99;
}
__device__ inline float halves(float a, float b, int operation) {
  const __half x = __float2half(a), y = __float2half(b);
  const __half found = operation == 0   ? __hadd(x, y)
                       : operation == 1 ? __hsub(x, y)
                       : operation == 2 ? __hmul(x, y)
                                        : __hfma(x, y, x);
  return canonical(__half2float(found));
}
template <typename T>
__device__ void keep(unsigned long long* to, T value) {
  *to = (unsigned long long)value;
}
__device__ inline void keep(unsigned long long* to, float value) { *to = bits_of(value); }
__device__ inline void keep(unsigned long long* to, double value) { *to = bits_of(value); }

struct Pair {
  unsigned first;
  float second[3];
  unsigned low : 5, middle : 13, high : 14;
  unsigned long long wide;
};
