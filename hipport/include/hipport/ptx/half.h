// PTX's narrow floating-point types, passed as bits: f16, bf16, tf32, e4m3, e5m2, and pairs of them.
#ifndef HIPPORT_PTX_HALF_H
#define HIPPORT_PTX_HALF_H

#include "float.h"

namespace hipport {
namespace ptx {

// Round a double to a format with the given numbers of exponent and mantissa bits; return its bits. Not for NaN.
template <int ExponentBits, int MantissaBits, int Mode>
HIPPORT_PTX uint32_t small_bits(double a) {
  const uint64_t u = bits<uint64_t>(a);
  const uint32_t sign = uint32_t(u >> 63) << (ExponentBits + MantissaBits);
  const uint32_t infinity = ((1u << ExponentBits) - 1) << MantissaBits;
  const int bias = (1 << (ExponentBits - 1)) - 1;
  const int exponent = int((u >> 52) & 0x7ff) - 1023;
  if (exponent == 1024) return sign | infinity;
  if (exponent < -1022) return sign | (a != 0 && (Mode == (sign ? rm : rp)) ? 1u : 0u);
  const uint64_t mantissa = (u & 0xfffffffffffffull) | 0x10000000000000ull;
  const int lowest = 1 - bias;
  int shift = 52 - MantissaBits + (exponent < lowest ? lowest - exponent : 0);
  if (shift > 60) shift = 60;
  const uint64_t kept = mantissa >> shift, cut = mantissa & ((1ull << shift) - 1), half = 1ull << (shift - 1);
  bool up = false;
  if (Mode == rn) up = cut > half || (cut == half && (kept & 1) != 0);
  if (Mode == rna) up = cut >= half;
  if (Mode == rp) up = cut != 0 && sign == 0;
  if (Mode == rm) up = cut != 0 && sign != 0;
  const uint32_t base = exponent < lowest ? 0 : uint32_t(exponent + bias - 1);
  if (exponent > bias) return sign | (Mode == rn || Mode == rna || Mode == (sign ? rm : rp) ? infinity : infinity - 1);
  const uint32_t rounded = (base << MantissaBits) + uint32_t(kept) + (up ? 1 : 0);
  return sign | rounded;
}

// Convert the bits of a small format to float, exactly; e4m3 has no infinities.
template <int ExponentBits, int MantissaBits>
HIPPORT_PTX float from_small_bits(uint32_t a) {
  const uint32_t sign = (a >> (ExponentBits + MantissaBits)) << 31;
  const uint32_t exponent = (a >> MantissaBits) & ((1u << ExponentBits) - 1), mantissa = a & ((1u << MantissaBits) - 1);
  const int bias = (1 << (ExponentBits - 1)) - 1;
  if (exponent == (1u << ExponentBits) - 1) return bits<float>(sign | 0x7f800000u | (mantissa << (23 - MantissaBits)));
  if (exponent != 0) {
    return bits<float>(sign | ((exponent + 127 - bias) << 23) | (mantissa << (23 - MantissaBits)));
  }
  const float least = bits<float>(uint32_t(127 + 1 - bias - MantissaBits) << 23);
  const float magnitude = float(mantissa) * least;
  return sign != 0 ? -magnitude : magnitude;
}

HIPPORT_PTX float f16_to_f32(uint32_t a) {
#if defined(__AMDGCN__)
  return float(bits<_Float16>(uint16_t(a)));
#else
  return from_small_bits<5, 10>(a & 0xffff);
#endif
}
HIPPORT_PTX float bf16_to_f32(uint32_t a) { return bits<float>((a & 0xffff) << 16); }
template <int Mode>
HIPPORT_PTX uint16_t to_f16(double a) {
  return is_nan(a) ? uint16_t(0x7fff) : uint16_t(small_bits<5, 10, Mode>(a));
}
// AMD GPUs have instructions that convert from float.
template <int Mode>
HIPPORT_PTX uint16_t to_f16(float a) {
#if defined(__AMDGCN__)
  if (Mode == rn && !is_nan(a)) return bits<uint16_t>(_Float16(a));
#endif
  return to_f16<Mode>(double(a));
}
template <int Mode>
HIPPORT_PTX uint16_t to_bf16(double a) {
  if (is_nan(a)) return 0x7fff;
  return uint16_t(small_bits<8, 7, Mode>(a));
}
// tf32: the upper 19 bits of a float; the others are 0.
template <int Mode>
HIPPORT_PTX uint32_t to_tf32(float a) {
  return is_nan(a) ? 0x7fffffffu : small_bits<8, 10, Mode>(a) << 13;
}

// `high` goes into the upper half, `low` into the lower.
template <int Mode>
HIPPORT_PTX uint32_t to_f16x2(float high, float low) {
  return (uint32_t(to_f16<Mode>(high)) << 16) | to_f16<Mode>(low);
}
template <int Mode>
HIPPORT_PTX uint32_t to_bf16x2(float high, float low) {
  return (uint32_t(to_bf16<Mode>(high)) << 16) | to_bf16<Mode>(low);
}

HIPPORT_PTX bool is_nan_f16(uint32_t a) { return (a & 0x7fff) > 0x7c00; }
HIPPORT_PTX bool is_nan_bf16(uint32_t a) { return (a & 0x7fff) > 0x7f80; }

// Infinities become the largest number, negative numbers become 0, NaN stays.
HIPPORT_PTX uint16_t finite_f16(uint16_t a) { return (a & 0x7fff) == 0x7c00 ? uint16_t(a - 1) : a; }
HIPPORT_PTX uint16_t finite_bf16(uint16_t a) { return (a & 0x7fff) == 0x7f80 ? uint16_t(a - 1) : a; }
HIPPORT_PTX uint16_t relu_f16(uint16_t a) { return (a & 0x8000) != 0 && !is_nan_f16(a) ? uint16_t(0) : a; }
HIPPORT_PTX uint16_t relu_bf16(uint16_t a) { return (a & 0x8000) != 0 && !is_nan_bf16(a) ? uint16_t(0) : a; }
HIPPORT_PTX uint16_t saturate_f16(uint16_t a) { return to_f16<rn>(saturate(f16_to_f32(a))); }
HIPPORT_PTX uint16_t saturate_bf16(uint16_t a) { return to_bf16<rn>(saturate(bf16_to_f32(a))); }
HIPPORT_PTX uint16_t abs_f16(uint16_t a) { return a & 0x7fff; }
HIPPORT_PTX uint16_t neg_f16(uint16_t a) { return a ^ 0x8000; }
HIPPORT_PTX uint16_t abs_bf16(uint16_t a) { return a & 0x7fff; }
HIPPORT_PTX uint16_t neg_bf16(uint16_t a) { return a ^ 0x8000; }

// Arithmetic is exact in double, up to a remainder that rounding to odd records in the last bit, and is then rounded
// once.
#define HIPPORT_PTX_NARROW(kind)                                                                   \
  HIPPORT_PTX uint16_t add_##kind(uint16_t a, uint16_t b) {                                        \
    double rest;                                                                                   \
    const double sum = two_sum(kind##_to_f32(a), kind##_to_f32(b), rest);                          \
    return to_##kind<rn>(odd(sum, rest));                                                          \
  }                                                                                                \
  HIPPORT_PTX uint16_t sub_##kind(uint16_t a, uint16_t b) { return add_##kind(a, b ^ 0x8000); }    \
  HIPPORT_PTX uint16_t mul_##kind(uint16_t a, uint16_t b) {                                        \
    return to_##kind<rn>(double(kind##_to_f32(a)) * double(kind##_to_f32(b)));                     \
  }                                                                                                \
  HIPPORT_PTX uint16_t fma_##kind(uint16_t a, uint16_t b, uint16_t c) {                            \
    HIPPORT_PTX_NO_FUSING                                                                          \
    double rest;                                                                                   \
    const double product = double(kind##_to_f32(a)) * double(kind##_to_f32(b));                    \
    const double sum = two_sum(product, kind##_to_f32(c), rest);                                   \
    return to_##kind<rn>(odd(sum, rest));                                                          \
  }                                                                                                \
  HIPPORT_PTX uint16_t min_##kind(uint16_t a, uint16_t b) {                                        \
    if (is_nan_##kind(a) && is_nan_##kind(b)) return 0x7fff;                                       \
    return to_##kind<rn>(min_number(kind##_to_f32(a), kind##_to_f32(b)));                          \
  }                                                                                                \
  HIPPORT_PTX uint16_t max_##kind(uint16_t a, uint16_t b) {                                        \
    if (is_nan_##kind(a) && is_nan_##kind(b)) return 0x7fff;                                       \
    return to_##kind<rn>(max_number(kind##_to_f32(a), kind##_to_f32(b)));                          \
  }                                                                                                \
  HIPPORT_PTX uint16_t min_nan_##kind(uint16_t a, uint16_t b) {                                    \
    return is_nan_##kind(a) || is_nan_##kind(b) ? uint16_t(0x7fff) : min_##kind(a, b);             \
  }                                                                                                \
  HIPPORT_PTX uint16_t max_nan_##kind(uint16_t a, uint16_t b) {                                    \
    return is_nan_##kind(a) || is_nan_##kind(b) ? uint16_t(0x7fff) : max_##kind(a, b);             \
  }                                                                                                \
  HIPPORT_PTX uint16_t ex2_##kind(uint16_t a) { return to_##kind<rn>(::exp2f(kind##_to_f32(a))); } \
  HIPPORT_PTX uint16_t tanh_##kind(uint16_t a) { return to_##kind<rn>(::tanhf(kind##_to_f32(a))); }
HIPPORT_PTX_NARROW(f16)
HIPPORT_PTX_NARROW(bf16)
#undef HIPPORT_PTX_NARROW

// The same on both halves of a register.
#define HIPPORT_PTX_PAIR1(name, kind)                                            \
  HIPPORT_PTX uint32_t name##_##kind##x2(uint32_t a) {                           \
    return (uint32_t(name##_##kind(a >> 16)) << 16) | name##_##kind(a & 0xffff); \
  }
#define HIPPORT_PTX_PAIR2(name, kind)                                                                 \
  HIPPORT_PTX uint32_t name##_##kind##x2(uint32_t a, uint32_t b) {                                    \
    return (uint32_t(name##_##kind(a >> 16, b >> 16)) << 16) | name##_##kind(a & 0xffff, b & 0xffff); \
  }
#define HIPPORT_PTX_PAIRS(kind)                                                                                      \
  HIPPORT_PTX_PAIR2(add, kind)                                                                                       \
  HIPPORT_PTX_PAIR2(sub, kind)                                                                                       \
  HIPPORT_PTX_PAIR2(mul, kind)                                                                                       \
  HIPPORT_PTX_PAIR2(min, kind)                                                                                       \
  HIPPORT_PTX_PAIR2(max, kind)                                                                                       \
  HIPPORT_PTX_PAIR2(min_nan, kind)                                                                                   \
  HIPPORT_PTX_PAIR2(max_nan, kind)                                                                                   \
  HIPPORT_PTX_PAIR1(abs, kind)                                                                                       \
  HIPPORT_PTX_PAIR1(neg, kind)                                                                                       \
  HIPPORT_PTX_PAIR1(relu, kind)                                                                                      \
  HIPPORT_PTX_PAIR1(saturate, kind)                                                                                  \
  HIPPORT_PTX_PAIR1(ex2, kind)                                                                                       \
  HIPPORT_PTX_PAIR1(tanh, kind)                                                                                      \
  HIPPORT_PTX uint32_t fma_##kind##x2(uint32_t a, uint32_t b, uint32_t c) {                                          \
    return (uint32_t(fma_##kind(a >> 16, b >> 16, c >> 16)) << 16) | fma_##kind(a & 0xffff, b & 0xffff, c & 0xffff); \
  }
HIPPORT_PTX_PAIRS(f16)
HIPPORT_PTX_PAIRS(bf16)
#undef HIPPORT_PTX_PAIRS
#undef HIPPORT_PTX_PAIR2
#undef HIPPORT_PTX_PAIR1

// 8-bit floats. e4m3 has no infinities and one NaN; numbers that are too large become the largest.
HIPPORT_PTX uint8_t to_e4m3(double a) {
  if (is_nan(a)) return 0x7f;
  const uint32_t sign = negative(a) ? 0x80 : 0;
  const double magnitude = negative(a) ? -a : a;
  if (magnitude >= 448) return uint8_t(sign | 0x7e);
  return uint8_t(sign | small_bits<5, 3, rn>(magnitude * 0.00390625));
}
HIPPORT_PTX uint8_t to_e5m2(double a) {
  if (is_nan(a)) return 0x7f;
  const uint8_t rounded = uint8_t(small_bits<5, 2, rn>(a));
  return (rounded & 0x7f) == 0x7c ? uint8_t(rounded - 1) : rounded;
}
HIPPORT_PTX uint16_t e4m3_to_f16(uint32_t a) {
  const uint32_t sign = (a & 0x80) << 8, rest = a & 0x7f;
  if (rest == 0x7f) return 0x7fff;
  if (rest >= 8) return uint16_t(sign | ((rest << 7) + (8u << 10)));
  return uint16_t(sign | to_f16<rn>(double(rest) * 0.001953125));
}
HIPPORT_PTX uint16_t e5m2_to_f16(uint32_t a) {
  return (a & 0x7f) > 0x7c ? uint16_t(0x7fff) : uint16_t((a & 0xff) << 8);
}
#define HIPPORT_PTX_FP8(kind)                                                 \
  HIPPORT_PTX uint16_t to_##kind##x2(float high, float low) {                 \
    return uint16_t((uint32_t(to_##kind(high)) << 8) | to_##kind(low));       \
  }                                                                           \
  HIPPORT_PTX uint16_t f16x2_to_##kind##x2(uint32_t a) {                      \
    return to_##kind##x2(f16_to_f32(a >> 16), f16_to_f32(a & 0xffff));        \
  }                                                                           \
  HIPPORT_PTX uint32_t kind##x2_to_f16x2(uint16_t a) {                        \
    return (uint32_t(kind##_to_f16(a >> 8)) << 16) | kind##_to_f16(a & 0xff); \
  }
HIPPORT_PTX_FP8(e4m3)
HIPPORT_PTX_FP8(e5m2)
#undef HIPPORT_PTX_FP8

}  // namespace ptx
}  // namespace hipport

#endif
