// SPDX-License-Identifier: MIT
// Emulates the matrix instructions of AMD GPUs: element layouts and products.
//
// A shape defines the layouts of A (M x K), B (K x N) and the sums (M x N): `left(i, k, block)`, `right(k, j, block)`
// and `sum(i, j, block)` return the lane that holds an element, and the element's index in that lane's registers. The
// layouts are those of AMD's ISA documents and matrix instruction calculator.
#pragma once

#include "sync.h"

// GCC warns that the ABI of vector arguments depends on the options. A program is compiled by one compiler with one set
// of options.
#pragma GCC diagnostic ignored "-Wpsabi"

// The compiler's half type, if C++ has one. g++ before 13 defines its limits (`__FLT16_MAX__`) on ARM without having
// `_Float16` in C++.
#if defined(__FLT16_MAX__) && (defined(__clang__) || defined(__x86_64__) || __GNUC__ >= 13)
#define HIPPORT_CPU_FLOAT16 _Float16
#elif defined(__ARM_FP16_FORMAT_IEEE)
#define HIPPORT_CPU_FLOAT16 __fp16
#endif

namespace hipport::cpu {

// Registers with several values are vectors; a single value is a scalar.
template <typename T, int Count>
struct Packed {
  typedef T Type __attribute__((vector_size(Count * sizeof(T))));
};
template <typename T>
struct Packed<T, 1> {
  using Type = T;
};
template <typename T, int Count>
using PackedOf = typename Packed<T, Count>::Type;

// The place of an element: its lane, and its index in the lane's registers.
struct Place {
  int lane, item;
};

// How elements are stored, and the type in which products are summed.
template <typename Element, typename Sum>
struct Plain {
  using Total = Sum;
  static Sum get(const void* registers, int item, bool) {
    Element element;
    std::memcpy(&element, static_cast<const char*>(registers) + sizeof(element) * size_t(item), sizeof(element));
    return static_cast<Sum>(element);
  }
};
using OfFloat = Plain<float, double>;
using OfDouble = Plain<double, double>;
using OfInt8 = Plain<int8_t, int64_t>;
#if defined(HIPPORT_CPU_FLOAT16)
using OfHalf = Plain<HIPPORT_CPU_FLOAT16, double>;
#endif
struct OfBfloat16 {
  using Total = double;
  static double get(const void* registers, int item, bool) {
    const uint32_t bits = uint32_t(Plain<uint16_t, uint32_t>::get(registers, item, false)) << 16;
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
};
// Integers of 8 or 4 bits; the instruction says whether they are signed.
template <int Bits>
struct OfInteger {
  using Total = int64_t;
  static int64_t get(const void* registers, int item, bool is_signed) {
    const uint8_t byte = Plain<uint8_t, uint8_t>::get(registers, item * Bits / 8, false);
    const int64_t value = (byte >> (item * Bits % 8)) & ((1 << Bits) - 1);
    return is_signed && (value >> (Bits - 1)) != 0 ? value - (1 << Bits) : value;
  }
};

// The operands of one lane.
struct Operands {
  const void *left, *right;
  void* sums;
  bool left_signed, right_signed;
  bool clamp;
  unsigned shared_blocks, shared_block;  // MFMA: groups of 2^cbsz neighboring blocks all use A of block abid
};

// Lanes that do not take part may hold anything in their registers: here all bits are 1 (NaN, -1).
inline const Operands& operands_of(const Wave& wave, LaneMask group, int lane) {
  static const struct Unknown {
    unsigned char bytes[64];
    Operands operands;
    Unknown() : operands{bytes, bytes, nullptr, true, true, false, 0, 0} { std::memset(bytes, 0xff, sizeof(bytes)); }
  } unknown;
  if ((group & lane_bit(static_cast<unsigned>(lane))) == 0) return unknown.operands;
  return *reinterpret_cast<const Operands*>(wave.calls[lane].value);
}

inline void add_up(float* sum, double total, bool) { *sum = static_cast<float>(total); }
inline void add_up(double* sum, double total, bool) { *sum = total; }
inline void add_up(int32_t* sum, int64_t total, bool clamp) {
  const int64_t bounded = std::min<int64_t>(std::max<int64_t>(total, INT32_MIN), INT32_MAX);
  *sum = static_cast<int32_t>(static_cast<uint32_t>(clamp ? bounded : total));
}

template <typename Shape, typename Sum>
void multiply_element(const Wave& wave, LaneMask group, int i, int j, int block) {
  using Elements = typename Shape::Elements;
  const Place place = Shape::sum(i, j, block);
  if ((group & lane_bit(static_cast<unsigned>(place.lane))) == 0) return;
  const Operands& own = operands_of(wave, group, place.lane);
  const int from = (block & ~((1 << own.shared_blocks) - 1)) | static_cast<int>(own.shared_block);
  Sum* sum = static_cast<Sum*>(own.sums) + place.item;
  typename Elements::Total total = *sum;
  for (int k = 0; k < Shape::depth; ++k) {
    const Place a = Shape::left(i, k, own.shared_blocks == 0 ? block : from), b = Shape::right(k, j, block);
    total += Elements::get(operands_of(wave, group, a.lane).left, a.item, own.left_signed) *
             Elements::get(operands_of(wave, group, b.lane).right, b.item, own.right_signed);
  }
  add_up(sum, total, own.clamp);
}

// Compute A * B + sums for all lanes of `group`, which wait meanwhile, so that their operands can be read.
template <typename Shape, typename Sum>
void multiply_all(const Wave& wave, LaneMask group) {
  for (int block = 0; block < Shape::blocks; ++block)
    for (int i = 0; i < Shape::size; ++i)
      for (int j = 0; j < Shape::size; ++j) multiply_element<Shape, Sum>(wave, group, i, j, block);
}

using Combine = void (*)(const Wave& wave, LaneMask group);

// Take part in a matrix instruction as one lane.
inline void multiply(const char* name, Site site, Combine combine, Operands operands) {
  LaneCall call{};
  call.site = site;
  call.name = name;
  call.kind = Exchange::combine;
  call.value = reinterpret_cast<uint64_t>(&operands);
  call.combine = combine;
  block_here(name).exchange(call);
}

}  // namespace hipport::cpu
