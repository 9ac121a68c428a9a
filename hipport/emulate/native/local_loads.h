// SPDX-License-Identifier: MIT
// Which operations load words of local memory, and how far those with one address reach.
#pragma once

#include "memory_kinds.h"

namespace hipport::emulate {

// Return the access of an operation if it loads whole words of local memory.
const Access* local_load(const Op& op);

// How far loads reach behind addresses of local memory, and whether these are taken to be one for each 16 lanes, as where the
// lanes of a row load several words of it. Rows overlap then, which is rare.
struct Reach {
  uint32_t extent = 0;
  bool is_one = false;
};
// Return what loads access at offsets from a register, before it changes: the end of the furthest word is the extent.
Reach reach_of_loads(const Op* op, unsigned number);

}  // namespace hipport::emulate
