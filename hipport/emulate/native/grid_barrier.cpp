// SPDX-License-Identifier: MIT
// Barriers and semaphores of all work-groups of a cooperative launch, in the global data share (ds_gws_*). One wavefront
// of each work-group waits at them.
#include "bind.h"

#include <bit>
#include <map>

namespace hipport::emulate {
namespace {

// Return the resource that an instruction names.
GridResource& resource(Wave& wave, const Op* op) {
  if (wave.group->grid == nullptr) throw Fault("the global wave sync (ds_gws_*) needs a cooperative launch");
  return wave.group->grid->all[((wave.scalars[kM0] >> 16) + uint64_t(op->immediate)) % kGridResources];
}

// Return the value of the first active lane.
uint32_t value(Wave& wave, const Op* op) {
  return wave.v(op->operands[0].number)[unsigned(std::countr_zero(wave.exec())) % wave.lanes];
}

const Op* wait(Wave& wave, const Op* op) {
  wave.next = op;  // looks again in its next turn
  return nullptr;
}

const Op* initialize(Wave& wave, const Op* op) {
  GridResource& all = resource(wave, op);
  all.is_initialized = true;
  all.counter = value(wave, op);
  return op + 1;
}

// The counter says how many others are to arrive; the last one sets it for the next time. The runtime initializes it.
const Op* meet(Wave& wave, const Op* op) {
  GridResource& all = resource(wave, op);
  if (!wave.waits_for_grid) {
    const uint32_t others = value(wave, op);
    if (!all.is_initialized) all.counter = others;
    all.is_initialized = true;
    wave.grid_phase = all.phase;
    if (all.counter == 0) {
      all.counter = others;
      ++all.phase;
    } else {
      --all.counter;
    }
    wave.waits_for_grid = true;
  }
  if (wave.grid_phase == all.phase) return wait(wave, op);
  wave.waits_for_grid = false;
  return op + 1;
}

const Op* release_one(Wave& wave, const Op* op) {
  ++resource(wave, op).counter;
  return op + 1;
}
const Op* release_some(Wave& wave, const Op* op) {
  resource(wave, op).counter += value(wave, op);
  return op + 1;
}
const Op* release_all(Wave& wave, const Op* op) {
  GridResource& all = resource(wave, op);
  all.counter = all.waiting;
  return op + 1;
}

const Op* take(Wave& wave, const Op* op) {
  GridResource& all = resource(wave, op);
  if (all.counter == 0) {
    if (!wave.waits_for_grid) ++all.waiting;
    wave.waits_for_grid = true;
    return wait(wave, op);
  }
  if (wave.waits_for_grid) --all.waiting;
  wave.waits_for_grid = false;
  --all.counter;
  return op + 1;
}

}  // namespace

Run grid_wait(std::string_view name) {
  static const std::map<std::string_view, Run> all = {
      {"ds_gws_init", &initialize},      {"ds_gws_barrier", &meet}, {"ds_gws_sema_v", &release_one},
      {"ds_gws_sema_br", &release_some}, {"ds_gws_sema_p", &take},  {"ds_gws_sema_release_all", &release_all}};
  const auto found = all.find(name);
  return found == all.end() ? nullptr : found->second;
}

}  // namespace hipport::emulate
