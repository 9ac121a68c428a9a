// SPDX-License-Identifier: MIT
// Rounding and denormal numbers as a wavefront's mode register sets them.
#pragma once

#include "operation.h"

namespace hipport::emulate {

// Bits of Op::mode_use: the operation flushes denormal numbers of its sources and results where the mode says so, and
// rounds as the field for numbers of 32 bits, or as that for numbers of 16 and 64 bits.
enum ModeUse : uint8_t { kFlushes = 1, kRoundsSingle = 2, kRoundsOthers = 4 };

// Return how an instruction depends on the mode, by its name.
uint8_t mode_use(std::string_view name);

// The mode that nearly all code runs in: rounding to nearest even, and denormal numbers everywhere. Operations are
// written for it, and the loop that runs them does not look at the mode.
inline bool is_usual_mode(const Wave& wave) { return (wave.mode & 0xff) == 0xf0; }

// Run one operation in any mode.
const Op* run_in_mode(Wave& wave, const Op* op);
inline const Op* run_one(Wave& wave, const Op* op) {
  return is_usual_mode(wave) ? op->run(wave, op) : run_in_mode(wave, op);
}

// Return the number, or a zero of its sign if it is denormal.
inline uint32_t without_denormal(uint32_t bits) { return (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits; }
inline uint32_t without_denormal_half(uint32_t bits) { return (bits & 0x7c00u) == 0 ? bits & 0x8000u : bits & 0xffffu; }

}  // namespace hipport::emulate
