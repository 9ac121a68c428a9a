// SPDX-License-Identifier: MIT
// What atomic operations do to a word of memory, by their names.
#include "lanes.h"
#include "memory_kinds.h"
#include "small_floats.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace hipport::emulate {
namespace {

template <typename T, auto F>
uint64_t modify(void* p, uint64_t data, uint64_t) {
  T* const to = static_cast<T*>(p);
  const T operand = value_of<T>(uint32_t(data), uint32_t(data >> 32));
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  Bits* const bits = reinterpret_cast<Bits*>(to);
  Bits old = __atomic_load_n(bits, __ATOMIC_RELAXED);
  for (;;) {
    const Bits next = std::bit_cast<Bits>(F(std::bit_cast<T>(old), operand));
    if (__atomic_compare_exchange_n(bits, &old, next, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) return old;
  }
}
template <typename T>
uint64_t compare_and_swap(void* p, uint64_t data, uint64_t compare) {
  T expected = T(compare);
  __atomic_compare_exchange_n(static_cast<T*>(p), &expected, T(data), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return expected;
}

// A loop around any function of the old value, the data and the second data.
template <typename T, typename F>
uint64_t modified_by(void* p, F next) {
  T* const to = static_cast<T*>(p);
  T old = __atomic_load_n(to, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(to, &old, T(next(old)), false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
  }
  return old;
}
template <typename F, typename T>
uint64_t compare_and_swap_float(void* p, uint64_t data, uint64_t compare) {
  return modified_by<T>(p,
                        [&](T old) { return std::bit_cast<F>(old) == std::bit_cast<F>(T(compare)) ? T(data) : old; });
}
// Of these the "comparand" is what the encoding has as its second data.
template <typename T>
uint64_t mask_or(void* p, uint64_t mask, uint64_t bits) {
  return modified_by<T>(p, [&](T old) { return T((old & ~T(mask)) | T(bits)); });
}
uint64_t wrap(void* p, uint64_t data, uint64_t added) {
  return modified_by<uint32_t>(
      p, [&](uint32_t old) { return old >= uint32_t(data) ? old - uint32_t(data) : old + uint32_t(added); });
}
// Two words, each of which is replaced if the data's highest bit says so.
uint64_t conditional_exchange(void* p, uint64_t data, uint64_t) {
  return modified_by<uint64_t>(p, [&](uint64_t old) {
    uint64_t next = old;
    if (data >> 31 & 1) next = (next & ~uint64_t(0xffffffff)) | (data & 0x7fffffff);
    if (data >> 63 & 1) next = (next & 0xffffffff) | (data >> 32 & 0x7fffffff) << 32;
    return next;
  });
}

HalfPair add_halves(HalfPair a, HalfPair b) {
  const auto sum = [](uint32_t x, uint32_t y) {
    return uint32_t(std::bit_cast<uint16_t>(Half(std::bit_cast<Half>(uint16_t(x)) + std::bit_cast<Half>(uint16_t(y)))));
  };
  return {sum(a.bits, b.bits) | sum(a.bits >> 16, b.bits >> 16) << 16};
}

template <typename U, typename S>
void add_integer_atomics(std::map<std::string, Modify>& table, const std::string& unsigned_type,
                         const std::string& signed_type, const std::string& bits) {
  table["add_" + unsigned_type] = &modify<U, ([](U a, U b) { return U(a + b); })>;
  table["sub_" + unsigned_type] = &modify<U, ([](U a, U b) { return U(a - b); })>;
  table["rsub_" + unsigned_type] = &modify<U, ([](U a, U b) { return U(b - a); })>;
  table["min_" + unsigned_type] = &modify<U, ([](U a, U b) { return std::min(a, b); })>;
  table["max_" + unsigned_type] = &modify<U, ([](U a, U b) { return std::max(a, b); })>;
  table["min_" + signed_type] = &modify<S, ([](S a, S b) { return std::min(a, b); })>;
  table["max_" + signed_type] = &modify<S, ([](S a, S b) { return std::max(a, b); })>;
  table["inc_" + unsigned_type] = &modify<U, ([](U a, U b) { return a >= b ? U(0) : U(a + 1); })>;
  table["dec_" + unsigned_type] = &modify<U, ([](U a, U b) { return a == 0 || a > b ? b : U(a - 1); })>;
  table["and_" + bits] = &modify<U, ([](U a, U b) { return U(a & b); })>;
  table["or_" + bits] = &modify<U, ([](U a, U b) { return U(a | b); })>;
  table["xor_" + bits] = &modify<U, ([](U a, U b) { return U(a ^ b); })>;
  table["swap_" + bits] = &modify<U, ([](U, U b) { return b; })>;
  table["cmpswap_" + bits] = &compare_and_swap<U>;
}

}  // namespace

const std::map<std::string, Modify>& modifications() {
  static const std::map<std::string, Modify> all = [] {
    std::map<std::string, Modify> table;
    add_integer_atomics<uint32_t, int32_t>(table, "u32", "i32", "b32");
    add_integer_atomics<uint64_t, int64_t>(table, "u64", "i64", "b64");
    table["add_f32"] = &modify<float, ([](float a, float b) { return a + b; })>;
    table["add_f64"] = &modify<double, ([](double a, double b) { return a + b; })>;
    // A NaN yields to a number; of equal ones the old number stays.
    for (const char* name : {"min_f32", "min_num_f32"})
      table[name] = &modify<float, ([](float a, float b) { return b < a || a != a ? b : a; })>;
    for (const char* name : {"max_f32", "max_num_f32"})
      table[name] = &modify<float, ([](float a, float b) { return b > a || a != a ? b : a; })>;
    table["min_f64"] = &modify<double, ([](double a, double b) { return b < a || a != a ? b : a; })>;
    table["max_f64"] = &modify<double, ([](double a, double b) { return b > a || a != a ? b : a; })>;
    table["pk_add_bf16"] = &modify<uint32_t, ([](uint32_t a, uint32_t b) {
                                     const auto sum = [](uint32_t x, uint32_t y) {
                                       return to_bfloat16(from_bfloat16(x & 0xffff) + from_bfloat16(y & 0xffff));
                                     };
                                     return sum(a, b) | sum(a >> 16, b >> 16) << 16;
                                   })>;
    for (const char* name : {"csub", "csub_u32", "sub_clamp_u32"})
      table[name] = &modify<uint32_t, ([](uint32_t a, uint32_t b) { return a < b ? 0 : a - b; })>;
    table["cond_sub_u32"] = &modify<uint32_t, ([](uint32_t a, uint32_t b) { return a >= b ? a - b : a; })>;
    table["cmpswap_f32"] = &compare_and_swap_float<float, uint32_t>;
    table["cmpswap_f64"] = &compare_and_swap_float<double, uint64_t>;
    table["mskor_b32"] = &mask_or<uint32_t>;
    table["mskor_b64"] = &mask_or<uint64_t>;
    table["wrap_b32"] = &wrap;
    table["condxchg32_b64"] = &conditional_exchange;
    table["min_num_f64"] = table["min_f64"];
    table["max_num_f64"] = table["max_f64"];
    table["pk_add_f16"] = &modify<HalfPair, ([](HalfPair a, HalfPair b) { return add_halves(a, b); })>;
    return table;
  }();
  return all;
}

}  // namespace hipport::emulate
