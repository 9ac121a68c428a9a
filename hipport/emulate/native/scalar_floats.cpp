// SPDX-License-Identifier: MIT
// Scalar instructions in floating point, of gfx11.5 and gfx12.
#include "scalar.h"

#include <limits>

namespace hipport::emulate {
namespace {

// A number of 16 bits in the low half of a register.
struct LowHalf {
  uint32_t bits;
  explicit LowHalf(uint32_t value) : bits(value & 0xffff) {}
};
float value_of(LowHalf a) { return float(std::bit_cast<Half>(uint16_t(a.bits))); }
uint32_t half_bits(float a) { return std::bit_cast<uint16_t>(Half(a)); }
float single(uint32_t bits) { return std::bit_cast<float>(bits); }
uint32_t bits_of(float a) { return std::bit_cast<uint32_t>(a); }

float least(float a, float b) {
  if (a != a || b != b) return a != a ? b : a;
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
float greatest(float a, float b) {
  if (a != a || b != b) return a != a ? b : a;
  return a > b || (a == b && !std::signbit(a)) ? a : b;
}
// As above, but a NaN wins.
float minimum(float a, float b) { return a != a ? a : b != b ? b : least(a, b); }
float maximum(float a, float b) { return a != a ? a : b != b ? b : greatest(a, b); }

template <typename T>
T saturated(float a) {
  if (a != a) return 0;
  if (double(a) <= double(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  return double(a) >= double(std::numeric_limits<T>::max()) ? std::numeric_limits<T>::max() : T(a);
}

uint32_t half_toward_zero(float a) {
  const Half nearest = Half(a);
  uint16_t bits = std::bit_cast<uint16_t>(nearest);
  if (std::fabs(float(nearest)) > std::fabs(a) && !std::isinf(a)) --bits;
  return bits;
}

template <auto Condition>
void add_conditions(ScalarTable& table, const char* name) {
  table[*new std::string("s_cmp_" + std::string(name) + "_f32")] =
      &run_scalar<([](Scc s, uint32_t a, uint32_t b) { s.value = Condition(single(a), single(b)); })>;
  table[*new std::string("s_cmp_" + std::string(name) + "_f16")] = &run_scalar<(
      [](Scc s, uint32_t a, uint32_t b) { s.value = Condition(value_of(LowHalf(a)), value_of(LowHalf(b))); })>;
}

void add_compares(ScalarTable& table) {
  add_conditions<([](float a, float b) { return a < b; })>(table, "lt");
  add_conditions<([](float a, float b) { return a == b; })>(table, "eq");
  add_conditions<([](float a, float b) { return a <= b; })>(table, "le");
  add_conditions<([](float a, float b) { return a > b; })>(table, "gt");
  add_conditions<([](float a, float b) { return a < b || a > b; })>(table, "lg");
  add_conditions<([](float a, float b) { return a >= b; })>(table, "ge");
  add_conditions<([](float a, float b) { return a == a && b == b; })>(table, "o");
  add_conditions<([](float a, float b) { return a != a || b != b; })>(table, "u");
  add_conditions<([](float a, float b) { return !(a >= b); })>(table, "nge");
  add_conditions<([](float a, float b) { return !(a < b || a > b); })>(table, "nlg");
  add_conditions<([](float a, float b) { return !(a > b); })>(table, "ngt");
  add_conditions<([](float a, float b) { return !(a <= b); })>(table, "nle");
  add_conditions<([](float a, float b) { return !(a == b); })>(table, "neq");
  add_conditions<([](float a, float b) { return !(a < b); })>(table, "nlt");
}

// One function for the type of 32 bits and that of 16 bits: results of both are rounded once.
template <auto F>
void add_binary(ScalarTable& table, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    table[*new std::string(std::string(name) + "_f32")] =
        &run_scalar<([](Scc, uint32_t a, uint32_t b) { return bits_of(F(single(a), single(b))); })>;
    table[*new std::string(std::string(name) + "_f16")] = &run_scalar<(
        [](Scc, uint32_t a, uint32_t b) { return half_bits(F(value_of(LowHalf(a)), value_of(LowHalf(b)))); })>;
  }
}
template <auto F>
void add_unary(ScalarTable& table, const char* name) {
  table[*new std::string(std::string(name) + "_f32")] =
      &run_scalar<([](Scc, uint32_t a) { return bits_of(F(single(a))); })>;
  table[*new std::string(std::string(name) + "_f16")] =
      &run_scalar<([](Scc, uint32_t a) { return half_bits(F(value_of(LowHalf(a)))); })>;
}

// v_s_*: vector encodings with scalar operands, and modifiers.
template <bool IsHalf, auto F>
const Op* run_special(Wave& wave, const Op* op) {
  const uint32_t bits = scalar<uint32_t>(wave, op, 1);
  float value = IsHalf ? value_of(LowHalf(bits)) : single(bits);
  if (op->modifiers.absolute & 1) value = std::fabs(value);
  if (op->modifiers.negate & 1) value = -value;
  float result = F(value);
  if (op->modifiers.output == 1) result *= 2;
  if (op->modifiers.output == 2) result *= 4;
  if (op->modifiers.output == 3) result /= 2;
  if (op->modifiers.clamp) result = result > 0 ? (result < 1 ? result : 1.0f) : 0.0f;
  set_scalar<uint32_t>(wave, op, 0, IsHalf ? half_bits(result) : bits_of(result));
  return op + 1;
}
template <auto F>
void add_special(ScalarTable& table, const char* name) {
  table[*new std::string("v_s_" + std::string(name) + "_f32")] = &run_special<false, F>;
  table[*new std::string("v_s_" + std::string(name) + "_f16")] = &run_special<true, F>;
}

template <bool IsHalf>
const Op* multiply_add(Wave& wave, const Op* op) {
  const auto value = [&](unsigned index) {
    const uint32_t bits = scalar<uint32_t>(wave, op, index);
    return IsHalf ? value_of(LowHalf(bits)) : single(bits);
  };
  const double result = double(value(1)) * double(value(2)) + double(value(0));
  if constexpr (IsHalf)
    set_scalar<uint32_t>(wave, op, 0, std::bit_cast<uint16_t>(Half(result)));
  else
    set_scalar<uint32_t>(wave, op, 0, bits_of(__builtin_fmaf(value(1), value(2), value(0))));
  return op + 1;
}

}  // namespace

void add_scalar_floats(ScalarTable& table) {
  add_compares(table);
  add_binary<([](float a, float b) { return a + b; })>(table, {"s_add"});
  add_binary<([](float a, float b) { return a - b; })>(table, {"s_sub"});
  add_binary<([](float a, float b) { return a * b; })>(table, {"s_mul"});
  add_binary<([](float a, float b) { return least(a, b); })>(table, {"s_min", "s_min_num"});
  add_binary<([](float a, float b) { return greatest(a, b); })>(table, {"s_max", "s_max_num"});
  add_binary<([](float a, float b) { return minimum(a, b); })>(table, {"s_minimum"});
  add_binary<([](float a, float b) { return maximum(a, b); })>(table, {"s_maximum"});
  add_unary<([](float a) { return std::ceil(a); })>(table, "s_ceil");
  add_unary<([](float a) { return std::floor(a); })>(table, "s_floor");
  add_unary<([](float a) { return std::trunc(a); })>(table, "s_trunc");
  add_unary<([](float a) { return std::nearbyint(a); })>(table, "s_rndne");
  table["s_fmac_f32"] = &multiply_add<false>;
  table["s_fmac_f16"] = &multiply_add<true>;
  table["s_fmaak_f32"] = &run_scalar<([](Scc, uint32_t a, uint32_t b, uint32_t k) {
    return bits_of(__builtin_fmaf(single(a), single(b), single(k)));
  })>;
  table["s_fmamk_f32"] = &run_scalar<([](Scc, uint32_t a, uint32_t k, uint32_t b) {
    return bits_of(__builtin_fmaf(single(a), single(k), single(b)));
  })>;
  add_scalar<([](Scc, int32_t a) { return bits_of(float(a)); })>(table, "s_cvt_f32_i32");
  add_scalar<([](Scc, uint32_t a) { return bits_of(float(a)); })>(table, "s_cvt_f32_u32");
  add_scalar<([](Scc, uint32_t a) { return uint32_t(saturated<int32_t>(single(a))); })>(table, "s_cvt_i32_f32");
  add_scalar<([](Scc, uint32_t a) { return saturated<uint32_t>(single(a)); })>(table, "s_cvt_u32_f32");
  add_scalar<([](Scc, uint32_t a) { return half_bits(single(a)); })>(table, "s_cvt_f16_f32");
  add_scalar<([](Scc, uint32_t a) { return bits_of(value_of(LowHalf(a))); })>(table, "s_cvt_f32_f16");
  add_scalar<([](Scc, uint32_t a) { return bits_of(value_of(LowHalf(a >> 16))); })>(table, "s_cvt_hi_f32_f16");
  add_scalar<([](Scc, uint32_t a, uint32_t b) {
    return half_toward_zero(single(a)) | half_toward_zero(single(b)) << 16;
  })>(table, "s_cvt_pk_rtz_f16_f32");
  add_special<([](float a) { return std::exp2(a); })>(table, "exp");
  add_special<([](float a) { return std::log2(a); })>(table, "log");
  add_special<([](float a) { return 1.0f / a; })>(table, "rcp");
  add_special<([](float a) { return 1.0f / std::sqrt(a); })>(table, "rsq");
  add_special<([](float a) { return std::sqrt(a); })>(table, "sqrt");
}

}  // namespace hipport::emulate
