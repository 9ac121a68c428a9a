// SPDX-License-Identifier: MIT
// What an operation accesses in memory, for tools that watch it.
#pragma once

#include "operation.h"

#include <optional>

namespace hipport::emulate {

enum class Memory : uint8_t { kGlobal, kLocal, kPrivate, kNone };

// An address, or an offset in local memory or in the private memory of a lane; kNone behind the end of a buffer, where
// loads return 0 and stores are lost.
struct Place {
  Memory memory;
  uint64_t at;
};

struct AccessFacts {
  bool loads = false, stores = false, atomic = false;
  bool scalar = false;  // one access of the wavefront, whatever lanes are active
  unsigned bytes = 0;   // of each access
  unsigned words = 1, count = 1;
  bool high = false;  // a store takes the upper half of its register
  // Indexes of operands, or -1: the vector register of addresses, the data of each access, the result.
  int address = -1, data[2] = {-1, -1}, result = -1;
  unsigned address_words = 1;
};

// Return the facts of a load, a store or an atomic operation; nothing for other operations.
std::optional<AccessFacts> access_facts(const Op& op);

// Return the place of access `number` for a lane, without checking it. `op` has AccessFacts.
Place place_of(Wave& wave, const Op* op, unsigned lane, unsigned number);

}  // namespace hipport::emulate
