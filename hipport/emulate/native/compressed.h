// SPDX-License-Identifier: MIT
// Reads bundles that the compiler has compressed.
#pragma once

#include <cstdint>
#include <vector>

namespace hipport::emulate {

// Return whether this is a compressed bundle.
bool is_compressed(const uint8_t* bytes);

// Return the bundle. Throws `Fault` if it is damaged or the machine has no library for its method.
std::vector<uint8_t> uncompressed(const uint8_t* bytes);

}  // namespace hipport::emulate
