// SPDX-License-Identifier: MIT
// Queries about instructions, for tests.
#include "bind.h"

#include <cstring>

// Write the name of the instruction at `bytes` to `name`, with a "!" if it is not supported, and that of the second
// half of a dual instruction after a space. Return its size, or 0 if it is none.
extern "C" unsigned hipport_decode(const char* processor, const unsigned char* bytes, size_t available, char* name,
                                   size_t room) {
  using namespace hipport::emulate;
  const Processor* const found = find_processor(processor);
  if (found == nullptr) return 0;
  std::string all;
  unsigned size = 0;
  for (const Decoded& decoded : decode(*found, bytes, available)) {
    all += (all.empty() ? "" : " ") + std::string(decoded.name);
    if (!is_supported(bind(*found, decoded, found->generation == 9 ? 64 : 32))) all += "!";
    size = decoded.size;
  }
  std::strncpy(name, all.c_str(), room);
  return size;
}
