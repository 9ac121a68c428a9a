// SPDX-License-Identifier: MIT
// The formats of elements in buffers: their components, and what numbers they are.
#pragma once

#include <cstdint>
#include <optional>

namespace hipport::emulate {

enum class Number : uint8_t { kUnorm, kSnorm, kUscaled, kSscaled, kUint, kSint, kFloat };

struct ElementFormat {
  uint8_t bits[4];  // of the components, from the lowest bit on; 0 for those that it lacks
  Number number;

  unsigned bytes() const { return unsigned(bits[0] + bits[1] + bits[2] + bits[3]) / 8; }
  bool is_integer() const { return number == Number::kUint || number == Number::kSint; }
};

// Return the format that gfx9 encodes as two numbers, or nothing if there is none.
std::optional<ElementFormat> element_format(unsigned data, unsigned number);
// Return the format that gfx10 (`generation` 10) and later encode as one number, or nothing if there is none.
std::optional<ElementFormat> unified_format(unsigned generation, unsigned code);

// Return a component in 32 bits: an integer, or the bits of a float.
uint32_t from_format(uint32_t code, unsigned bits, Number number);
// Return what a component of an element is for an integer, of which the lowest bits count, or for the bits of a float.
uint32_t to_format(uint32_t word, unsigned bits, Number number);

}  // namespace hipport::emulate
