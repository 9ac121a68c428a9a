// SPDX-License-Identifier: MIT
// Averages of integers: HIP's before 6.4 give 0 or 1, or lose a carry.
#ifndef HIPPORT_COMPAT_AVERAGES_H
#define HIPPORT_COMPAT_AVERAGES_H

#include "core.h"

#if defined(HIPPORT_COMPAT_CUDA)

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace hipport {
namespace compat {

HIPPORT_COMPAT_FORWARD(hadd)
HIPPORT_COMPAT_FORWARD(rhadd)
HIPPORT_COMPAT_FORWARD(uhadd)
HIPPORT_COMPAT_FORWARD(urhadd)

}  // namespace compat
}  // namespace hipport

#elif defined(HIPPORT_COMPAT_HIP)

namespace hipport {
namespace compat {

HIPPORT_COMPAT int hadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b) >> 1); }
HIPPORT_COMPAT int rhadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1); }
HIPPORT_COMPAT unsigned uhadd(unsigned a, unsigned b) { return (a & b) + ((a ^ b) >> 1); }
HIPPORT_COMPAT unsigned urhadd(unsigned a, unsigned b) { return (a | b) - ((a ^ b) >> 1); }

// `__hadd` is also the sum of two half or bfloat16 numbers.
template <bool Is, typename T>
struct IfClass {};
template <typename T>
struct IfClass<true, T> {
  typedef T type;
};
template <typename T>
HIPPORT_COMPAT typename IfClass<__is_class(T), T>::type hadd(T a, T b) {
  return __hadd(a, b);
}

}  // namespace compat
}  // namespace hipport

#endif

#endif
