// SPDX-License-Identifier: MIT
// Where machine code of the host finds the registers of a wavefront.
#pragma once

#include "assembler.h"
#include "wave.h"

#include <cstddef>

namespace hipport::emulate {

// Registers that hold the wavefront and its vector registers.
constexpr Register kWave = kRbx, kRows = kRbp;

// Moves of whole vector registers between memory, without alignment, and instructions that many files need.
constexpr Vex kLoadRow{2, 1, 0x6f}, kStoreRow{2, 1, 0x7f}, kMoveRow{1, 1, 0x6f};
constexpr Vex kRepeatWord{1, 2, 0x58}, kAddWords{1, 1, 0xfe};

// Where in `wave.scalars` a register is.
inline At scalar_place(unsigned number, unsigned byte = 0) {
  return {kWave, int32_t(offsetof(Wave, scalars) + 4 * number + byte)};
}
// Where a part of a vector register is; parts have `width` lanes.
inline At row_place(unsigned number, unsigned chunk, unsigned lanes, unsigned width) {
  return {kRows, int32_t((number * lanes + chunk * width) * 4)};
}
// Where the first lane's value of a linear vector register is.
inline At base_place(unsigned number) { return {kWave, int32_t(offsetof(Wave, bases) + 4 * number)}; }

}  // namespace hipport::emulate
