// SPDX-License-Identifier: MIT
// Memory that is no allocation of the program but may be accessed by kernels, such as buffers for printf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hipport::emulate {

void allow_memory(const void* start, size_t bytes);
std::vector<std::pair<const void*, size_t>> allowed_memory();
bool is_allowed(uint64_t address, uint64_t bytes);

}  // namespace hipport::emulate
