// SPDX-License-Identifier: MIT
// Moves barriers behind operations that commute with them.
#pragma once

#include "operation.h"

#include <vector>

namespace hipport::emulate {

// Move each barrier that only computations in registers separate from the end of its block to that end. What is computed
// from loads before the barrier then needs no registers in memory while the wavefront waits, and nothing is left of the
// block behind it. `is_target` says which operations are targets of branches.
void move_barriers(std::vector<Op>& operations, const std::vector<bool>& is_target);

}  // namespace hipport::emulate
