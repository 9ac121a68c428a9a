// SPDX-License-Identifier: MIT
// Conversions between bfloat16 and integers, which HIP lacks.
#ifndef HIPPORT_COMPAT_BF16_INTEGERS_H
#define HIPPORT_COMPAT_BF16_INTEGERS_H

#include "bf16.h"
#include "float_formats.h"

#if defined(HIPPORT_COMPAT_CUDA)

#include <cuda_bf16.h>

namespace hipport {
namespace compat {

// clang-format off
#define HIPPORT_COMPAT_INTEGER(name)         \
  HIPPORT_COMPAT_FORWARD(bfloat162##name##_rn) \
  HIPPORT_COMPAT_FORWARD(bfloat162##name##_rz) \
  HIPPORT_COMPAT_FORWARD(bfloat162##name##_ru) \
  HIPPORT_COMPAT_FORWARD(bfloat162##name##_rd) \
  HIPPORT_COMPAT_FORWARD(name##2bfloat16_rn)   \
  HIPPORT_COMPAT_FORWARD(name##2bfloat16_rz)   \
  HIPPORT_COMPAT_FORWARD(name##2bfloat16_ru)   \
  HIPPORT_COMPAT_FORWARD(name##2bfloat16_rd)
// clang-format on
HIPPORT_COMPAT_INTEGER(short)
HIPPORT_COMPAT_INTEGER(ushort)
HIPPORT_COMPAT_INTEGER(int)
HIPPORT_COMPAT_INTEGER(uint)
HIPPORT_COMPAT_INTEGER(ll)
HIPPORT_COMPAT_INTEGER(ull)
#undef HIPPORT_COMPAT_INTEGER
HIPPORT_COMPAT_FORWARD(bfloat162char_rz)
HIPPORT_COMPAT_FORWARD(bfloat162uchar_rz)

}  // namespace compat
}  // namespace hipport

#elif defined(HIPPORT_COMPAT_HIP)

namespace hipport {
namespace compat {

#define HIPPORT_COMPAT_MODE(name, T, from, suffix, function, mode)      \
  HIPPORT_COMPAT __nv_bfloat16 name##2bfloat16_##suffix(T x) {          \
    return bits<__nv_bfloat16>(to_bfloat16<mode>(odd_double(from(x)))); \
  }                                                                     \
  HIPPORT_COMPAT T bfloat162##name##_##suffix(__nv_bfloat16 x) {        \
    return saturated<T>(::function(from_bfloat16(bits<uint16_t>(x))));  \
  }
#define HIPPORT_COMPAT_INTEGER(name, T, from)                    \
  HIPPORT_COMPAT_MODE(name, T, from, rn, rintf, to_nearest)      \
  HIPPORT_COMPAT_MODE(name, T, from, rz, truncf, exact::to_zero) \
  HIPPORT_COMPAT_MODE(name, T, from, ru, ceilf, exact::upward)   \
  HIPPORT_COMPAT_MODE(name, T, from, rd, floorf, exact::downward)
HIPPORT_COMPAT_INTEGER(short, short, double)
HIPPORT_COMPAT_INTEGER(ushort, unsigned short, double)
HIPPORT_COMPAT_INTEGER(int, int, double)
HIPPORT_COMPAT_INTEGER(uint, unsigned, double)
HIPPORT_COMPAT_INTEGER(ll, long long, static_cast<long long>)
HIPPORT_COMPAT_INTEGER(ull, unsigned long long, static_cast<unsigned long long>)
#undef HIPPORT_COMPAT_INTEGER
#undef HIPPORT_COMPAT_MODE
HIPPORT_COMPAT signed char bfloat162char_rz(__nv_bfloat16 x) {
  return saturated<signed char>(::truncf(from_bfloat16(bits<uint16_t>(x))));
}
HIPPORT_COMPAT unsigned char bfloat162uchar_rz(__nv_bfloat16 x) {
  return saturated<unsigned char>(::truncf(from_bfloat16(bits<uint16_t>(x))));
}

}  // namespace compat
}  // namespace hipport

#endif

#endif
