// SPDX-License-Identifier: MIT
// Functions of two numbers in a register or register pair, dot products, and mixed precision.
#include "lanes.h"
#include "small_floats.h"

#include <algorithm>

namespace hipport::emulate {
namespace {

struct Halves {
  Half low, high;
};
Halves halves(HalfPair pair) {
  return {std::bit_cast<Half>(uint16_t(pair.bits)), std::bit_cast<Half>(uint16_t(pair.bits >> 16))};
}
HalfPair joined(Half low, Half high) {
  return {uint32_t(std::bit_cast<uint16_t>(low)) | uint32_t(std::bit_cast<uint16_t>(high)) << 16};
}
Half fused(Half a, Half b, Half c) { return Half(double(a) * double(b) + double(c)); }
// A NaN yields to a number; -0 is less than 0.
bool is_less(Half a, Half b) { return a < b || (a == b && std::signbit(float(a))); }
Half least(Half a, Half b) { return a != a ? b : b != b ? a : is_less(a, b) ? a : b; }
Half greatest(Half a, Half b) { return a != a ? b : b != b ? a : is_less(a, b) ? b : a; }

ShortPair shorts(uint32_t low, uint32_t high) { return {(low & 0xffff) | high << 16}; }
uint32_t low(ShortPair a) { return a.bits & 0xffff; }
uint32_t high(ShortPair a) { return a.bits >> 16; }
int32_t signed_low(ShortPair a) { return int16_t(a.bits); }
int32_t signed_high(ShortPair a) { return int16_t(a.bits >> 16); }

template <typename T, unsigned Bits>
int32_t dot(uint32_t a, uint32_t b) {
  int32_t sum = 0;
  for (unsigned i = 0; i < 32; i += Bits) {
    if constexpr (std::is_signed_v<T>)
      sum += (int32_t(a << (32 - Bits - i)) >> (32 - Bits)) * (int32_t(b << (32 - Bits - i)) >> (32 - Bits));
    else
      sum += int32_t((a >> i & ((1u << Bits) - 1)) * (b >> i & ((1u << Bits) - 1)));
  }
  return sum;
}
float half_dot(HalfPair a, HalfPair b, float c) {
  const Halves x = halves(a), y = halves(b);
  return c + float(x.low) * float(y.low) + float(x.high) * float(y.high);
}

}  // namespace

#define LANE(name, ...) table.add<(__VA_ARGS__)>(name);

void add_packed_functions(LaneTable& table) {
#define PACKED_HALF(name, expression)                                  \
  LANE(name, [](HalfPair first, HalfPair second) {                     \
    const Halves x = halves(first), y = halves(second);                \
    const auto part = [](Half a, Half b) { return Half(expression); }; \
    return joined(part(x.low, y.low), part(x.high, y.high));           \
  })
  PACKED_HALF("v_pk_add_f16", a + b)
  PACKED_HALF("v_pk_mul_f16", a * b)
  PACKED_HALF("v_pk_min_f16", least(a, b))
  PACKED_HALF("v_pk_max_f16", greatest(a, b))
  PACKED_HALF("v_pk_min_num_f16", least(a, b))
  PACKED_HALF("v_pk_max_num_f16", greatest(a, b))
#undef PACKED_HALF
  for (const char* name : {"v_pk_fma_f16", "v_pk_fmac_f16"})
    table.add<([](HalfPair a, HalfPair b, HalfPair c) {
      const Halves x = halves(a), y = halves(b), z = halves(c);
      return joined(fused(x.low, y.low, z.low), fused(x.high, y.high, z.high));
    })>(name);
#define PACKED_SHORT(name, part_low, part_high) \
  LANE(name, [](ShortPair a, ShortPair b) { return shorts(uint32_t(part_low), uint32_t(part_high)); })
  PACKED_SHORT("v_pk_add_u16", low(a) + low(b), high(a) + high(b))
  PACKED_SHORT("v_pk_add_i16", low(a) + low(b), high(a) + high(b))
  PACKED_SHORT("v_pk_sub_u16", low(a) - low(b), high(a) - high(b))
  PACKED_SHORT("v_pk_sub_i16", low(a) - low(b), high(a) - high(b))
  PACKED_SHORT("v_pk_mul_lo_u16", low(a) * low(b), high(a) * high(b))
  PACKED_SHORT("v_pk_lshlrev_b16", low(b) << (low(a) & 15), high(b) << (high(a) & 15))
  PACKED_SHORT("v_pk_lshrrev_b16", low(b) >> (low(a) & 15), high(b) >> (high(a) & 15))
  PACKED_SHORT("v_pk_ashrrev_i16", signed_low(b) >> (low(a) & 15), signed_high(b) >> (high(a) & 15))
  PACKED_SHORT("v_pk_min_u16", std::min(low(a), low(b)), std::min(high(a), high(b)))
  PACKED_SHORT("v_pk_max_u16", std::max(low(a), low(b)), std::max(high(a), high(b)))
  PACKED_SHORT("v_pk_min_i16", std::min(signed_low(a), signed_low(b)), std::min(signed_high(a), signed_high(b)))
  PACKED_SHORT("v_pk_max_i16", std::max(signed_low(a), signed_low(b)), std::max(signed_high(a), signed_high(b)))
#undef PACKED_SHORT
  for (const char* name : {"v_pk_mad_u16", "v_pk_mad_i16"})
    table.add<([](ShortPair a, ShortPair b, ShortPair c) {
      return shorts(low(a) * low(b) + low(c), high(a) * high(b) + high(c));
    })>(name);
  LANE("v_pk_add_f32", [](FloatPair a, FloatPair b) { return FloatPair{a.low + b.low, a.high + b.high}; })
  LANE("v_pk_mul_f32", [](FloatPair a, FloatPair b) { return FloatPair{a.low * b.low, a.high * b.high}; })
  LANE("v_pk_fma_f32", [](FloatPair a, FloatPair b, FloatPair c) {
    return FloatPair{__builtin_fmaf(a.low, b.low, c.low), __builtin_fmaf(a.high, b.high, c.high)};
  })
  for (const char* name : {"v_dot2_f32_f16", "v_dot2c_f32_f16", "v_dot2acc_f32_f16"})
    table.add<([](HalfPair a, HalfPair b, float c) { return half_dot(a, b, c); })>(name);
  LANE("v_pk_minimum_f16", [](HalfPair first, HalfPair second) {
    const Halves x = halves(first), y = halves(second);
    const auto part = [](Half a, Half b) { return a != a ? a : b != b ? b : least(a, b); };
    return joined(part(x.low, y.low), part(x.high, y.high));
  })
  LANE("v_pk_maximum_f16", [](HalfPair first, HalfPair second) {
    const Halves x = halves(first), y = halves(second);
    const auto part = [](Half a, Half b) { return a != a ? a : b != b ? b : greatest(a, b); };
    return joined(part(x.low, y.low), part(x.high, y.high));
  })
  LANE("v_cvt_pk_bf16_f32", [](float a, float b) { return (to_bfloat16(a) & 0xffff) | to_bfloat16(b) << 16; })
  LANE("v_cvt_pk_f16_f32", [](float a, float b) { return joined(Half(a), Half(b)).bits; })
  LANE("v_cvt_f32_bf16", [](uint16_t a) { return from_bfloat16(a); })
  LANE("v_ashr_pk_i8_i32", [](int32_t a, int32_t b, uint32_t c) {
    const auto part = [c](int32_t x) { return uint32_t(uint8_t(std::clamp(x >> (c & 31), -128, 127))); };
    return uint16_t(part(a) | part(b) << 8);
  })
  LANE("v_ashr_pk_u8_i32", [](int32_t a, int32_t b, uint32_t c) {
    const auto part = [c](int32_t x) { return uint32_t(std::clamp(x >> (c & 31), 0, 255)); };
    return uint16_t(part(a) | part(b) << 8);
  })
  LANE("v_pk_minimum3_f16", [](HalfPair a, HalfPair b, HalfPair c) {
    const Halves x = halves(a), y = halves(b), z = halves(c);
    const auto part = [](Half p, Half q) { return p != p ? p : q != q ? q : least(p, q); };
    return joined(part(part(x.low, y.low), z.low), part(part(x.high, y.high), z.high));
  })
  LANE("v_pk_maximum3_f16", [](HalfPair a, HalfPair b, HalfPair c) {
    const Halves x = halves(a), y = halves(b), z = halves(c);
    const auto part = [](Half p, Half q) { return p != p ? p : q != q ? q : greatest(p, q); };
    return joined(part(part(x.low, y.low), z.low), part(part(x.high, y.high), z.high));
  })
  LANE("v_dot2_f16_f16", [](HalfPair a, HalfPair b, Half c) {
    const Halves x = halves(a), y = halves(b);
    return Half(Half(c + Half(x.low * y.low)) + Half(x.high * y.high));
  })
  LANE("v_dot2_bf16_bf16", [](ShortPair a, ShortPair b, uint16_t c) {
    const float first = from_bfloat16(to_bfloat16(from_bfloat16(low(a)) * from_bfloat16(low(b))));
    const float second = from_bfloat16(to_bfloat16(from_bfloat16(high(a)) * from_bfloat16(high(b))));
    return uint16_t(to_bfloat16(from_bfloat16(to_bfloat16(from_bfloat16(c) + first)) + second));
  })
  for (const char* name : {"v_dot2c_f32_bf16", "v_dot2acc_f32_bf16"})
    table.add<([](ShortPair a, ShortPair b, float c) {
      return c + from_bfloat16(low(a)) * from_bfloat16(low(b)) + from_bfloat16(high(a)) * from_bfloat16(high(b));
    })>(name);
  LANE("v_dot2_f32_bf16", [](ShortPair a, ShortPair b, float c) {
    return c + from_bfloat16(low(a)) * from_bfloat16(low(b)) + from_bfloat16(high(a)) * from_bfloat16(high(b));
  })
  for (const char* name : {"v_dot2_i32_i16", "v_dot2c_i32_i16"})
    table.add<([](ShortPair a, ShortPair b, int32_t c) {
      return uint32_t(signed_low(a) * signed_low(b)) + uint32_t(signed_high(a) * signed_high(b)) + uint32_t(c);
    })>(name);
  LANE("v_dot2_u32_u16", [](ShortPair a, ShortPair b, uint32_t c) { return low(a) * low(b) + high(a) * high(b) + c; })
  for (const char* name : {"v_dot4_i32_i8", "v_dot4c_i32_i8"})
    table.add<([](uint32_t a, uint32_t b, int32_t c) { return uint32_t(dot<int, 8>(a, b)) + uint32_t(c); })>(name);
  LANE("v_dot4_u32_u8", [](uint32_t a, uint32_t b, uint32_t c) { return uint32_t(dot<unsigned, 8>(a, b)) + c; })
  for (const char* name : {"v_dot8_i32_i4", "v_dot8c_i32_i4"})
    table.add<([](uint32_t a, uint32_t b, int32_t c) { return uint32_t(dot<int, 4>(a, b)) + uint32_t(c); })>(name);
  LANE("v_dot8_u32_u4", [](uint32_t a, uint32_t b, uint32_t c) { return uint32_t(dot<unsigned, 4>(a, b)) + c; })
}

}  // namespace hipport::emulate
