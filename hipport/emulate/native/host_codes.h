// SPDX-License-Identifier: MIT
// Numbers in the host's machine code: conditions, as jumps and `set` take them, and operations on two registers.
#pragma once

#include <cstdint>

namespace hipport::emulate {

enum : uint8_t {
  kOverflow = 0,
  kBelow = 2,
  kNotBelow = 3,
  kEqual = 4,
  kNotEqual = 5,
  kNotAbove = 6,
  kAbove = 7,
  // of signed numbers
  kLessThan = 12,
  kNotLess = 13,
  kNotGreater = 14,
  kGreater = 15
};
enum : uint8_t {
  kAdd = 0x01,
  kOr = 0x09,
  kAddCarry = 0x11,
  kSubtractBorrow = 0x19,
  kAnd = 0x21,
  kSubtract = 0x29,
  kXor = 0x31,
  kCompare = 0x39
};

}  // namespace hipport::emulate
