// SPDX-License-Identifier: MIT
// v_cmp_*: each condition for each type.
#include "lanes.h"

namespace hipport::emulate {
namespace {

// The bits of v_cmp_class: signaling and quiet NaN, -infinity, -normal, -denormal, -0, +0 and so on up to +infinity.
template <typename T, typename Bits>
bool is_of_class(T value, uint32_t classes) {
  constexpr unsigned mantissa_bits = sizeof(T) == 8 ? 52 : sizeof(T) == 4 ? 23 : 10;
  constexpr unsigned exponent_bits = sizeof(T) * 8 - 1 - mantissa_bits;
  const Bits bits = std::bit_cast<Bits>(value);
  const Bits mantissa = Bits(bits & ((Bits(1) << mantissa_bits) - 1));
  const unsigned all = (1u << exponent_bits) - 1, exponent = unsigned(bits >> mantissa_bits) & all;
  const bool negative = bits >> (sizeof(T) * 8 - 1) & 1;
  unsigned found;
  if (exponent == all)
    found = mantissa == 0 ? (negative ? 2 : 9) : (mantissa >> (mantissa_bits - 1) & 1 ? 1 : 0);
  else if (exponent != 0)
    found = negative ? 3 : 8;
  else if (mantissa != 0)
    found = negative ? 4 : 7;
  else
    found = negative ? 5 : 6;
  return classes >> found & 1;
}

// One name for gfx9 and gfx10, where exec is also written by v_cmpx.
template <auto F>
void add(LaneTable& table, std::vector<std::string>& names, const std::string& condition, const char* type) {
  for (const char* start : {"v_cmp_", "v_cmpx_"}) {
    names.push_back(start + condition + "_" + type);
    table.add<F>(*new std::string(names.back()));  // the table keeps views of names for as long as the program runs
  }
}

template <typename T>
void add_type(LaneTable& table, std::vector<std::string>& names, const char* type) {
  add<([](T, T) { return false; })>(table, names, "f", type);
  add<([](T a, T b) { return a < b; })>(table, names, "lt", type);
  add<([](T a, T b) { return a == b; })>(table, names, "eq", type);
  add<([](T a, T b) { return a <= b; })>(table, names, "le", type);
  add<([](T a, T b) { return a > b; })>(table, names, "gt", type);
  add<([](T a, T b) { return a >= b; })>(table, names, "ge", type);
  add<([](T, T) { return true; })>(table, names, "t", type);
  if constexpr (is_float(kind_of<T>())) {
    add<([](T, T) { return true; })>(table, names, "tru", type);
    add<([](T a, T b) { return a < b || a > b; })>(table, names, "lg", type);
    add<([](T a, T b) { return a == a && b == b; })>(table, names, "o", type);
    add<([](T a, T b) { return a != a || b != b; })>(table, names, "u", type);
    add<([](T a, T b) { return !(a >= b); })>(table, names, "nge", type);
    add<([](T a, T b) { return !(a < b || a > b); })>(table, names, "nlg", type);
    add<([](T a, T b) { return !(a > b); })>(table, names, "ngt", type);
    add<([](T a, T b) { return !(a <= b); })>(table, names, "nle", type);
    add<([](T a, T b) { return !(a == b); })>(table, names, "neq", type);
    add<([](T a, T b) { return !(a < b); })>(table, names, "nlt", type);
  } else {
    add<([](T a, T b) { return a != b; })>(table, names, "ne", type);
  }
}

}  // namespace

void add_comparisons(LaneTable& table) {
  std::vector<std::string> names;
  add_type<float>(table, names, "f32");
  add_type<double>(table, names, "f64");
  add_type<Half>(table, names, "f16");
  add_type<int32_t>(table, names, "i32");
  add_type<uint32_t>(table, names, "u32");
  add_type<int64_t>(table, names, "i64");
  add_type<uint64_t>(table, names, "u64");
  add_type<int16_t>(table, names, "i16");
  add_type<uint16_t>(table, names, "u16");
  add<([](float a, uint32_t b) { return is_of_class<float, uint32_t>(a, b); })>(table, names, "class", "f32");
  add<([](double a, uint32_t b) { return is_of_class<double, uint64_t>(a, b); })>(table, names, "class", "f64");
  add<([](Half a, uint16_t b) { return is_of_class<Half, uint16_t>(a, b); })>(table, names, "class", "f16");
}

}  // namespace hipport::emulate
