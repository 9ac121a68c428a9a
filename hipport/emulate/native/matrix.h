// SPDX-License-Identifier: MIT
// Matrix products of a whole wavefront: MFMA and SMFMAC of gfx9, WMMA and SWMMAC of gfx11 and gfx12.
#pragma once

#include "decode.h"

namespace hipport::emulate {

// Bind an instruction that multiplies matrices. Return false if it is none.
bool bind_matrix(const Processor& processor, const Decoded& decoded, unsigned lanes, Op& op);
// The same for products of numbers of 8, 6 and 4 bits with scales (gfx950).
bool bind_scaled_matrix(const Decoded& decoded, Op& op);
// Conversions of such numbers.
bool bind_scaled_conversion(const Decoded& decoded, Op& op);

}  // namespace hipport::emulate
