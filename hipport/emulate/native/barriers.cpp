// SPDX-License-Identifier: MIT
#include "barriers.h"

#include "scalar.h"

#include <string>
#include <utility>

namespace hipport::emulate {
namespace {

using Group = WorkGroupWithBarriers;

Group& group_of(Wave& wave) { return static_cast<Group&>(*wave.group); }

// The barrier's number is a constant, of which -1 is the usual barrier, or in the low bits of m0.
int number_of(const Wave& wave, const Op* op, unsigned operand) {
  const int number = scalar<int32_t>(wave, op, operand);
  return op->operands[operand].bank == Bank::kConstant ? number : number & 31;
}
Group::Named& named(Wave& wave, int number) {
  if (number <= 0 || unsigned(number) >= Group::kNamed)
    throw Fault("there is no barrier with the number " + std::to_string(number));
  return group_of(wave).named[number];
}

void complete_if_all(Group::Named& barrier) {
  if (barrier.members == 0 || barrier.signals < barrier.members) return;
  barrier.signals = 0;
  ++barrier.phase;
}

// Arrive. Return whether this is the first arrival since the barrier was complete.
bool signal(Wave& wave, int number) {
  if (number < 0) return !std::exchange(group_of(wave).is_signaled, true);
  Group::Named& barrier = named(wave, number);
  const bool first = barrier.signals++ == 0;
  complete_if_all(barrier);
  return first;
}
const Op* signal_barrier(Wave& wave, const Op* op) {
  signal(wave, number_of(wave, op, 0));
  return op + 1;
}
const Op* signal_and_ask(Wave& wave, const Op* op) {
  wave.scc = signal(wave, number_of(wave, op, 0));
  return op + 1;
}

const Op* wait_at_barrier(Wave& wave, const Op* op) {
  if (op->immediate < 0) {  // the runner goes on with all wavefronts at once
    wave.at_barrier = true;
    wave.next = op + 1;
    return nullptr;
  }
  Group::Member& member = group_of(wave).joined[&wave];
  const uint32_t phase = named(wave, int(member.barrier)).phase;
  const bool complete = phase != member.phase;
  member.phase = phase;
  wave.next = complete ? op + 1 : op;
  return complete ? op + 1 : nullptr;
}

const Op* initialize_barrier(Wave& wave, const Op* op) {
  named(wave, number_of(wave, op, 0)) = {wave.scalars[kM0] >> 16 & 0x7f, 0, 0};
  return op + 1;
}
const Op* join_barrier(Wave& wave, const Op* op) {
  const int number = number_of(wave, op, 0);
  group_of(wave).joined[&wave] = {unsigned(number), named(wave, number).phase};
  return op + 1;
}
const Op* leave_barrier(Wave& wave, const Op* op) {
  Group::Member& member = group_of(wave).joined[&wave];
  wave.scc = member.barrier != 0;
  if (wave.scc) {
    Group::Named& barrier = named(wave, int(member.barrier));
    if (barrier.members != 0) --barrier.members;
    complete_if_all(barrier);
  }
  member = {};
  return op + 1;
}
const Op* get_state(Wave& wave, const Op* op) {
  const Group::Named& barrier = named(wave, number_of(wave, op, 1));
  set_scalar<uint32_t>(wave, op, 0, barrier.signals << 16 | barrier.members << 4 | uint32_t(barrier.members != 0));
  return op + 1;
}

}  // namespace

void add_barriers(ScalarTable& table) {
  table["s_barrier_signal"] = &signal_barrier;
  table["s_barrier_signal_isfirst"] = &signal_and_ask;
  table["s_barrier_wait"] = &wait_at_barrier;
  table["s_barrier_init"] = &initialize_barrier;
  table["s_barrier_join"] = &join_barrier;
  table["s_barrier_leave"] = &leave_barrier;
  table["s_get_barrier_state"] = &get_state;
}

}  // namespace hipport::emulate
