// SPDX-License-Identifier: MIT
// Matrix products of a whole wavefront: MFMA and SMFMAC of gfx9, WMMA and SWMMAC of gfx11 and gfx12.
#pragma once

#include "decode.h"

namespace hipport::emulate {

// Bind an instruction that multiplies matrices. Return false if it is none.
bool bind_matrix(const Processor& processor, const Decoded& decoded, unsigned lanes, Op& op);

}  // namespace hipport::emulate
