// SPDX-License-Identifier: MIT
// Reductions of RCCL's element types.
#pragma once

#include "../fp8.h"
#include "../half_functions.h"
#include "types.h"

#include <vector>

namespace hipport::cpu::ccl {

// Return the size of an element in bytes; 0 for what is no type.
inline size_t bytes_of(ncclDataType_t type) {
  static constexpr size_t sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return type < 0 || type >= ncclNumTypes ? 0 : sizes[type];
}

// Elements that are stored in few bits and computed in float.
template <typename Bits, float (*load)(Bits), Bits (*store)(float)>
struct Packed {
  Bits bits;
  operator float() const { return load(bits); }
  Packed& operator=(float value) {
    bits = store(value);
    return *this;
  }
};
inline float load_half(uint16_t bits) { return half_value(bits); }
inline uint16_t store_half(float value) { return half_bits(value); }
inline float load_bfloat16(uint16_t bits) { return bfloat16_value(bits); }
inline uint16_t store_bfloat16(float value) { return bfloat16_bits(value); }
template <__hip_fp8_interpretation_t format>
float load_fp8(uint8_t bits) {
  return from_fp8(bits, format);
}
template <__hip_fp8_interpretation_t format>
uint8_t store_fp8(float value) {
  return to_fp8(value, true, format);
}
using Half = Packed<uint16_t, load_half, store_half>;
using Bfloat16 = Packed<uint16_t, load_bfloat16, store_bfloat16>;
using E4m3 = Packed<uint8_t, load_fp8<__HIP_E4M3>, store_fp8<__HIP_E4M3>>;
using E5m2 = Packed<uint8_t, load_fp8<__HIP_E5M2>, store_fp8<__HIP_E5M2>>;

// Integers wrap around.
template <typename T>
T combined(ncclRedOp_t operation, T a, T b) {
  using Wide = std::conditional_t<std::is_floating_point_v<T>, T, unsigned long long>;
  switch (operation) {
    case ncclProd: return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b));
    case ncclMax: return a < b ? b : a;
    case ncclMin: return b < a ? b : a;
    default: return static_cast<T>(static_cast<Wide>(a) + static_cast<Wide>(b));
  }
}

// Reduce one block per rank, in the order of the ranks. `T` is stored, `C` computed with.
template <typename T, typename C>
std::vector<char> reduced_as(ncclRedOp_t operation, const std::vector<std::vector<char>>& parts) {
  const size_t count = parts[0].size() / sizeof(T);
  std::vector<char> result(parts[0].size());
  for (size_t i = 0; i < count; ++i) {
    T element;
    std::memcpy(&element, &parts[0][i * sizeof(T)], sizeof(T));
    C sum = static_cast<C>(element);
    for (size_t rank = 1; rank < parts.size(); ++rank) {
      std::memcpy(&element, &parts[rank][i * sizeof(T)], sizeof(T));
      sum = combined(operation, sum, static_cast<C>(element));
    }
    if (operation == ncclAvg) sum = static_cast<C>(sum / static_cast<C>(parts.size()));
    element = sum;
    std::memcpy(&result[i * sizeof(T)], &element, sizeof(T));
  }
  return result;
}

// Call `function` with a null pointer to the stored type, and one to the type that is computed with.
template <typename Function>
auto with_type(ncclDataType_t type, Function function) {
  const auto call = [&](auto* stored, auto* computed) { return function(stored, computed); };
  switch (type) {
    case ncclInt8: return call((int8_t*)nullptr, (int8_t*)nullptr);
    case ncclUint8: return call((uint8_t*)nullptr, (uint8_t*)nullptr);
    case ncclInt32: return call((int32_t*)nullptr, (int32_t*)nullptr);
    case ncclUint32: return call((uint32_t*)nullptr, (uint32_t*)nullptr);
    case ncclInt64: return call((int64_t*)nullptr, (int64_t*)nullptr);
    case ncclUint64: return call((uint64_t*)nullptr, (uint64_t*)nullptr);
    case ncclFloat16: return call((Half*)nullptr, (float*)nullptr);
    case ncclFloat64: return call((double*)nullptr, (double*)nullptr);
    case ncclBfloat16: return call((Bfloat16*)nullptr, (float*)nullptr);
    case ncclFloat8e4m3: return call((E4m3*)nullptr, (float*)nullptr);
    case ncclFloat8e5m2: return call((E5m2*)nullptr, (float*)nullptr);
    default: return call((float*)nullptr, (float*)nullptr);
  }
}

inline std::vector<char> reduced(ncclDataType_t type, ncclRedOp_t operation,
                                 const std::vector<std::vector<char>>& parts) {
  return with_type(type, [&](auto* stored, auto* computed) {
    return reduced_as<std::remove_pointer_t<decltype(stored)>, std::remove_pointer_t<decltype(computed)>>(operation,
                                                                                                          parts);
  });
}

// Multiply elements by a number that `scalar` points to.
inline void scale(ncclDataType_t type, const void* scalar, std::vector<char>& data) {
  with_type(type, [&](auto* stored, auto* computed) {
    using T = std::remove_pointer_t<decltype(stored)>;
    using C = std::remove_pointer_t<decltype(computed)>;
    T factor, element;
    std::memcpy(&factor, scalar, sizeof(T));
    for (size_t i = 0; i + sizeof(T) <= data.size(); i += sizeof(T)) {
      std::memcpy(&element, &data[i], sizeof(T));
      element = combined(ncclProd, static_cast<C>(element), static_cast<C>(factor));
      std::memcpy(&data[i], &element, sizeof(T));
    }
  });
}

}  // namespace hipport::cpu::ccl
