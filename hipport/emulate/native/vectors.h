// SPDX-License-Identifier: MIT
// Which vector instructions of the host's processor translated code uses.
#pragma once

#include <cstdint>

namespace hipport::emulate {

enum class VectorSet : uint8_t { kNone, kAvx2, kAvx512 };

// Return the best instruction set of the processor for which there is a translation.
VectorSet processor_vectors();
// Return the same, but at most what the environment variable HIPPORT_VECTORS names: avx512, avx2 or none. Throws Fault if
// it names something else.
VectorSet usual_vectors();

}  // namespace hipport::emulate
