// SPDX-License-Identifier: MIT
// Loads and stores of elements whose format is in the descriptor of a buffer, or in the instruction.
#pragma once

#include "decode.h"

namespace hipport::emulate {

struct FormattedAccess;

// Return how an instruction accesses elements with a format, or null if it does not, or not in a way that is supported.
// The result lasts as long as the program.
const FormattedAccess* formatted_access(const Processor& processor, const Decoded& decoded);
const Op* run_formatted(Wave& wave, const Op* op, const FormattedAccess& access);

// Bind such an instruction. Return false if it is none.
bool bind_formatted(const Processor& processor, const Decoded& decoded, Op& op);

}  // namespace hipport::emulate
