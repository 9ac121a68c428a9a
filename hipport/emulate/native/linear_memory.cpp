// SPDX-License-Identifier: MIT
// Loads and stores at linear addresses, and masks, while a sequence is translated with linear registers.
#include "emit.h"
#include "linear.h"
#include "memory_kinds.h"

namespace hipport::emulate {
namespace {

constexpr unsigned kWord = 8;  // a vector register
constexpr uint32_t kWordBytes = 4;

// Return the access of an operation if it is one of whole words of global memory with an address in a vector register.
const Access* word_access(const Op& op) {
  if (op.access != AccessKind::kVector) return nullptr;
  const Access& access = *static_cast<const Access*>(op.extra);
  const bool can = access.space == Space::kGlobal && access.action != Action::kAtomic && access.part == Part::kWhole &&
                   access.address >= 0 && access.words <= 4 && access.offset == int32_t(access.offset);
  return can ? &access : nullptr;
}

void add_loads(Emitter& run, const Access& access, unsigned number, unsigned place, bool is_one) {
  for (unsigned word = 0; word < access.words; ++word)
    run.add_load(number + word, place, int32_t(access.offset) + int32_t(kWordBytes * word), is_one);
}

}  // namespace

bool LinearTranslator::emit_access(const Op& op, Emitter& run) {
  const Access* const access = word_access(op);
  if (access == nullptr) return false;
  const unsigned low = op.operands[access->address].number;
  const Value address = values_.at(low), high = values_.at(low + 1);
  const bool store = access->action == Action::kStore, has_base = access->scalar_base >= 0;
  const bool is_one = address.stride == 0, is_row = address.stride == kWordBytes;
  if (!address.is_linear() || !(is_row ? !store || access->words == 1 : is_one && !store)) return false;
  if (!has_base && !(high.is_linear() && high.stride == 0)) return false;
  begin(op);
  const bool joins =
      !store && address.exact && run.has_room() && (!has_base || run.is_independent(op.operands[access->scalar_base]));
  const unsigned data = op.operands[store ? access->data : access->result].number;
  // What is stored may be a sum with a row.
  const bool is_last = store && &op == last_ && values_.at(data).form != Value::Form::kSum;
  const bool may_keep = is_last && address.exact && values_.at(data).form == Value::Form::kRow;
  const unsigned part = lanes_ / wavefronts_ / code_.width();
  const bool is_stored_by_run = may_keep && wavefronts_ > 1 && run.can_store(part);
  const bool is_kept = may_keep && wavefronts_ == 1 && run.flush_kept(data);
  if (const auto place = found_address(addresses_, low, run); joins && !has_base && place) {
    add_loads(run, *access, data, *place, is_one);
    return true;
  }
  if (!joins && !is_kept && !is_stored_by_run) is_last ? run.flush_last(data) : run.flush();
  has_base ? code_.load_32(kRax, base_place(low)) : code_.load_words(kRax, base_place(low));
  if (!address.exact) keep_exact(kRax, address.stride);
  values_.set_exact(low);
  if (has_base) {
    code_.load_words(kRcx, scalar_place(op.operands[access->scalar_base].number));
    code_.compute(0x01, kRax, kRcx, true);
  }
  const int32_t offset = int32_t(access->offset);
  if (is_row && wavefronts_ == 1) prefetch_behind({kRax, offset}, store);
  if (is_stored_by_run) {
    run.flush_storing(data, offset, part);
    return true;
  }
  if (store) {
    is_kept ? run.store_kept({kRax, offset}) : store_row(data, {kRax, offset});
    return true;
  }
  const unsigned place = run.add_address();
  if (!has_base) addresses_[low] = {place, run.number()};
  add_loads(run, *access, data, place, is_one);
  return true;
}

std::optional<unsigned> LinearTranslator::found_address(const Addresses& all, unsigned number, const Emitter& run) {
  const auto found = all.find(number);
  if (found == all.end() || found->second.run != run.number()) return {};
  return found->second.place;
}

// Later wavefronts mostly access what is behind a row. So much of the host's code is between their accesses that it does not
// begin with one while it waits for another.
void LinearTranslator::prefetch_behind(At row, bool to_write) {
  constexpr int32_t ahead = 512, line = 64;
  for (int32_t byte = 0; byte < int32_t(kWordBytes * lanes_); byte += line)
    code_.prefetch({row.base, row.displacement + ahead + byte}, to_write);
}

// Store the lanes of a register one after the other.
void LinearTranslator::store_row(unsigned number, At memory) {
  const unsigned width = code_.width();
  values_.materialize(code_, number);
  for (unsigned i = 0; i < lanes_ / width; ++i) {
    code_.vector(kLoadRow, kWord, 0, row_place(number, i, lanes_, width));
    code_.vector(kStoreRow, kWord, 0, At{memory.base, memory.displacement + int32_t(kWordBytes * width * i)});
  }
}

bool LinearTranslator::emit_mask(const Op& op, bool needs_scc) {
  begin(op);
  const KeptMask kept = emit_kept_mask(code_, op, masks_are_wide(), needs_scc);
  if (kept.other != 0) add_exit(kept.other, op);
  return kept.is_kept;
}

}  // namespace hipport::emulate
