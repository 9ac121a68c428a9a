// SPDX-License-Identifier: MIT
// Loads and stores of local memory at linear addresses, while a sequence is translated with linear registers.
#include "emit.h"
#include "host_codes.h"
#include "linear.h"
#include "local_loads.h"

namespace hipport::emulate {
namespace {

constexpr uint32_t kWordBytes = 4;

// Return the access of an operation if it stores a word of each lane to local memory.
const Access* local_store(const Op& op) {
  if (op.access != AccessKind::kLocal) return nullptr;
  const Access& access = *static_cast<const Access*>(op.extra);
  const bool can = access.space == Space::kLocal && access.action == Action::kStore && access.part == Part::kWhole &&
                   access.address >= 0 && access.words == 1 && access.count == 1;
  return can ? &access : nullptr;
}

}  // namespace

bool LinearTranslator::emit_local_access(const Op& op, Emitter& run) {
  const Access* const access = local_load(op);
  if (access == nullptr) return emit_local_store(op, run);
  const unsigned number = op.operands[access->address].number;
  const Value address = values_.at(number);
  const bool is_one = address.stride == 0;
  if (!address.is_linear() || !(is_one || address.stride == kWordBytes)) return false;
  begin(op);
  std::optional<unsigned> place = found_address(local_addresses_, number, run);
  if (!place) {
    if (!run.has_room()) run.flush();
    load_local_address(number, reach_of_loads(&op, number).extent);
    place = run.add_address();
    local_addresses_[number] = {*place, run.number()};
  }
  const unsigned result = op.operands[access->result].number;
  for (unsigned i = 0; i < access->count; ++i)
    for (unsigned word = 0; word < access->words; ++word)
      run.add_load(result + i * access->words + word, *place, int32_t(access->offsets[i] + kWordBytes * word), is_one);
  return true;
}

bool LinearTranslator::emit_local_store(const Op& op, Emitter& run) {
  const Access* const access = local_store(op);
  if (access == nullptr) return false;
  const unsigned number = op.operands[access->address].number;
  const Value address = values_.at(number);
  if (!address.is_linear() || address.stride != kWordBytes) return false;
  run.flush();
  begin(op);
  load_local_address(number, access->offsets[0] + kWordBytes);
  store_row(op.operands[access->data].number, {kRax, int32_t(access->offsets[0])});
  return true;
}

// Set rax to the host's address of what the first lane accesses, unless a lane accesses something behind the end: `extent`
// bytes from its address on. Sums of 64 bits do not wrap around.
void LinearTranslator::load_local_address(unsigned number, uint32_t extent) {
  const auto group_place = [](size_t byte) { return At{kRcx, int32_t(byte)}; };
  code_.load_32(kRax, base_place(number));
  code_.load_64(kRcx, {kWave, int32_t(offsetof(Wave, group))});
  code_.load_address_64(kRdx, {kRax, int32_t(values_.at(number).stride * (lanes_ - 1) + extent)});
  code_.compute_with(kCompare, kRdx, group_place(offsetof(WorkGroup, local_bytes)), true);
  exit_if(kAbove);
  code_.compute_with(kAdd, kRax, group_place(offsetof(WorkGroup, local_start)), true);
}

}  // namespace hipport::emulate
