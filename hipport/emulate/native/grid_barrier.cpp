// SPDX-License-Identifier: MIT
// Barriers of all work-groups of a cooperative launch, by the global data share. One wavefront of each waits at it.
#include "bind.h"

#include <bit>

namespace hipport::emulate {

const Op* meet_grid(Wave& wave, const Op* op) {
  GridBarrier* const all = wave.group->grid;
  if (all == nullptr) throw Fault("a barrier of the grid needs a cooperative launch");
  if (!wave.at_grid_barrier) {
    const unsigned lane = unsigned(std::countr_zero(wave.exec())) % wave.lanes;
    const uint32_t others = wave.v(op->operands[0].number)[lane];
    wave.at_grid_barrier = true;
    wave.grid_phase = all->phase;
    if (all->arrived++ == others) all->arrived = 0, ++all->phase;
  }
  if (wave.grid_phase == all->phase) {
    wave.next = op;  // looks again in its next turn
    return nullptr;
  }
  wave.at_grid_barrier = false;
  return op + 1;
}

}  // namespace hipport::emulate
