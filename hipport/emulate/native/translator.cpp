// SPDX-License-Identifier: MIT
#include "translator.h"

#include "host_codes.h"
#include "local_loads.h"
#include "memory_kinds.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace hipport::emulate {
namespace {

constexpr uint32_t kWordBytes = 4;
// Rounding to nearest even, and denormal numbers everywhere: what the host does by default.
constexpr uint8_t kUsualMode = 0xf0;

// The lanes that are active, before kWave is set.
constexpr At active(int32_t byte) { return {kRdi, int32_t(offsetof(Wave, scalars) + 4 * kExec) + byte}; }

bool is_vector_store(const Op& op) {
  return op.access == AccessKind::kVector && static_cast<const Access*>(op.extra)->action == Action::kStore;
}

}  // namespace

size_t Translator::add(const Sequence& some, const Sequence& full, bool keeps_registers) {
  const size_t start = code_.code().size();
  code_.compare_byte({kRdi, int32_t(offsetof(Wave, mode))}, kUsualMode);
  const size_t to_single = code_.jump_if(kNotEqual);
  code_.compare_byte({kRdi, int32_t(offsetof(Wave, full))}, 0);
  const size_t to_full = code_.jump_if(kNotEqual);
  code_.compare_32(active(0), (1u << code_.width()) - 1);
  const size_t to_some = code_.jump_if(kAbove);
  size_t to_some_high = 0;
  if (lanes_ == 64) {
    code_.compare_32(active(4), 0);
    to_some_high = code_.jump_if(kNotEqual);
  }
  body(some, Lanes::kFirst);
  code_.land(to_some);
  if (to_some_high != 0) code_.land(to_some_high);
  body(some, Lanes::kSome);
  code_.land(to_full);
  add_full(full, Values(lanes_), keeps_registers);
  code_.land(to_single);
  code_.constant(kRax, reinterpret_cast<uint64_t>(operations_[full.first].alone));
  code_.jump(kRax);
  return start;
}

const std::vector<uint8_t>& Translator::finished() {
  code_.add_pool();
  return code_.code();
}

size_t Translator::add_version(const Sequence& full, const Values& values, bool keeps_registers) {
  const size_t start = code_.code().size();
  add_full(full, values, keeps_registers);
  return start;
}

void Translator::add_full(const Sequence& sequence, Values values, bool keeps_registers) {
  Emitter run(code_, lanes_, Lanes::kAll, &values);
  const Op* const program_end = end_of_program(sequence.end());
  const Op* const last = program_end == nullptr || keeps_registers ? nullptr : last_of(sequence);
  run.use(liveness_);
  LinearTranslator linear(code_, values, run, lanes_, 1, &operations_[sequence.end()], last);
  grouped_.clear();
  begin();
  const size_t end = sequence.end();
  size_t at = sequence.first;
  const auto perform_next = [&] {
    run.set_position(operations_[at]);
    return perform_known(linear, run, values, operations_[at]);
  };
  for (; at < end && perform_next(); ++at) forget_addresses(linear, operations_[at].operands[0]);
  run.set_position(operations_[at]);
  run.flush();
  std::vector<Exit> exits = linear.exits();
  if (at < end) {
    exits.push_back({code_.jump(), &operations_[at], std::make_shared<const Values>(values), nullptr});
  } else {
    if (program_end != nullptr && keeps_registers) values.materialize_all(code_);
    program_end != nullptr ? end_program() : leave_known(sequence, values);
  }
  if (exits.empty()) return;
  places_.clear();
  for (const Exit& exit : exits) places_[exit.op] = 0;
  body(sequence, Lanes::kAll);
  for (const Exit& exit : exits) {
    code_.land(exit.jump);
    if (exit.run != nullptr) exit.run->flush();
    Values(*exit.values).materialize_all(code_);
    code_.jump_to(places_.at(exit.op));
  }
}

bool Translator::add_group(const Sequence& full, Values values, unsigned wavefronts) {
  const Op* const last = last_of(full);
  if (last == nullptr || end_of_program(full.end()) == nullptr) return false;
  const unsigned lanes = lanes_ * wavefronts;
  Emitter run(code_, lanes, Lanes::kAll, &values);
  run.use(liveness_);
  LinearTranslator linear(code_, values, run, lanes, wavefronts, &operations_[full.end()], last);
  begin();
  size_t exits_before_stores = 0;
  bool has_stored = false;
  for (size_t i = full.first; i < full.end(); ++i) {
    run.set_position(operations_[i]);
    if (!perform_for_group(linear, run, operations_[i])) return false;
    forget_addresses(linear, operations_[i].operands[0]);
    if (!has_stored) exits_before_stores = linear.exits().size();
    has_stored |= is_vector_store(operations_[i]);
  }
  // What was stored must not be stored again.
  if (linear.exits().size() != exits_before_stores) return false;
  code_.constant(kRax, 0);
  const size_t done = code_.jump();
  for (const Exit& exit : linear.exits()) code_.land(exit.jump);
  code_.constant(kRax, 1);
  code_.land(done);
  finish();
  code_.leave();
  return true;
}

bool Translator::perform_for_group(LinearTranslator& linear, Emitter& run, const Op& op) {
  if (op.fusing == Fusing::kNothing || op.fusing == Fusing::kIfNone) return true;
  if (linear.may_emit(op)) {
    if (!linear.can_precede_run(op)) run.flush();
    if (linear.emit(op)) return true;
  }
  if (linear.emit_bounds(op, run)) return true;
  if (is_emitted(op)) {  // masks have the lanes of one wavefront
    if (op.emission->mask != kNoMask || op.emission->reads_mask) return false;
    run.add(op);
    return true;
  }
  if (op.fusing == Fusing::kMask) {
    run.flush();
    return linear.emit_mask(op, needs_scc(op));
  }
  if (linear.emit_access(op, run)) return true;
  if (op.fusing != Fusing::kCall && op.access != AccessKind::kScalar) return false;
  if (!run.is_independent(op)) run.flush();
  return emit_scalar(code_, op, needs_scc(op));
}

void Translator::begin() {
  code_.begin();
  code_.push(kWave);
  code_.push(kRows);
  code_.reserve_stack(8);
  code_.move(kWave, kRdi);
  code_.load_64(kRows, {kRdi, int32_t(offsetof(Wave, rows))});
}

void Translator::body(const Sequence& sequence, Lanes active) {
  const bool all = active == Lanes::kAll;
  begin();
  if (active == Lanes::kFirst) code_.begin_first(scalar_place(kExec));
  Emitter emitter(code_, lanes_, active);
  emitter.use(liveness_);
  for (size_t i = sequence.first; i < sequence.end(); ++i) {
    emitter.set_position(operations_[i]);
    if (const auto place = places_.find(&operations_[i]); all && place != places_.end()) {
      emitter.flush();
      code_.begin();
      place->second = code_.code().size();
    }
    perform(emitter, operations_[i], active);
  }
  emitter.set_position(operations_[sequence.end()]);
  emitter.flush();
  leave(sequence);
}

void Translator::leave(const Sequence& sequence) {
  const Op& next = operations_[sequence.end()];
  sequence.ends ? leave_for(next) : go_to(next);
}
void Translator::leave_known(const Sequence& sequence, const Values& values) {
  const Op& next = operations_[sequence.end()];
  const std::string_view name = next.name;
  if (!sequence.ends) return go_to_known(next, values);
  if (name == "s_barrier") return wait_known(*(&next + 1), values);
  const bool is_taken = name == "s_branch" || name == "s_cbranch_execnz";  // all lanes are active
  if (is_taken && next.target != nullptr) return go_to_known(*next.target, values);
  if (const std::optional<size_t> taken = next.target == nullptr ? std::nullopt : branch_if(next)) {
    go_to_known(*(&next + 1), values);
    code_.land(*taken);
    return go_to_known(*next.target, values);
  }
  Values(values).materialize_all(code_);
  leave_for(next);
}

std::optional<size_t> Translator::branch_if(const Op& branch) {
  const std::string_view name = branch.name;
  if (name == "s_cbranch_scc0" || name == "s_cbranch_scc1") {
    code_.compare_byte({kWave, int32_t(offsetof(Wave, scc))}, 0);
    return code_.jump_if(name.back() == '0' ? kEqual : kNotEqual);
  }
  if (name != "s_cbranch_vccz" && name != "s_cbranch_vccnz") return {};
  lanes_ == 64 ? code_.load_words(kRax, scalar_place(kVcc)) : code_.load_32(kRax, scalar_place(kVcc));
  code_.test(kRax, lanes_ == 64);
  return code_.jump_if(name == "s_cbranch_vccz" ? kEqual : kNotEqual);
}

const Op& Translator::version_of(const Op& next, Values& values) {
  if (liveness_ != nullptr)
    values.forget_if([&](unsigned number) { return !values.needs_row(number) && liveness_->is_dead(next, number); });
  values.materialize_sums(code_);
  if (liveness_ != nullptr) values.forget_if([&](unsigned number) { return liveness_->is_dead(next, number); });
  values.forget_exact();
  const Op* const version = versions_ == nullptr ? nullptr : versions_->find(next, values);
  if (version == nullptr) values.materialize_all(code_);
  return version == nullptr ? next : *version;
}

void Translator::go_to_known(const Op& next, Values values) { go_to(version_of(next, values)); }

// The same as the function of s_barrier.
void Translator::wait_known(const Op& next, Values values) {
  code_.constant(kRax, reinterpret_cast<uint64_t>(&version_of(next, values)));
  code_.store_64(kRax, {kWave, int32_t(offsetof(Wave, next))});
  code_.store_byte({kWave, int32_t(offsetof(Wave, at_barrier))}, 1);
  finish();
  code_.constant(kRax, 0);
  code_.leave();
}

void Translator::leave_for(const Op& op) {
  prepare(op);
  finish();
  code_.jump(kRax);
}
void Translator::go_to(const Op& next) {
  finish();
  code_.constant(kRax, reinterpret_cast<uint64_t>(&next));
  code_.leave();
}
// The same as the function of s_endpgm.
void Translator::end_program() {
  code_.store_byte({kWave, int32_t(offsetof(Wave, ended))}, 1);
  finish();
  code_.constant(kRax, 0);
  code_.leave();
}
void Translator::prepare(const Op& op) {
  code_.move(kRdi, kWave);
  code_.constant(kRsi, reinterpret_cast<uint64_t>(&op));
  code_.constant(kRax, reinterpret_cast<uint64_t>(op.alone));
}
void Translator::finish() {
  code_.end_vectors();
  code_.release_stack(8);
  code_.pop(kRows);
  code_.pop(kWave);
}

const Op* Translator::last_of(const Sequence& sequence) const {
  size_t at = sequence.end();
  while (at > sequence.first && operations_[at - 1].fusing == Fusing::kNothing) --at;
  return at > sequence.first ? &operations_[at - 1] : nullptr;
}

const Op* Translator::end_of_program(size_t at) const {
  while (operations_[at].fusing == Fusing::kNothing) ++at;
  return std::string_view(operations_[at].name) == "s_endpgm" ? &operations_[at] : nullptr;
}

bool Translator::needs_scc(const Op& op) const { return liveness_ == nullptr || !liveness_->is_scc_dead(*(&op + 1)); }

void Translator::perform(Emitter& emitter, const Op& op, Lanes active) {
  const bool all = active == Lanes::kAll;
  if (op.fusing == Fusing::kNothing || op.fusing == Fusing::kIfNone) return;
  if (op.fusing == Fusing::kCall && is_emitted(op)) return emitter.add(op);
  if (!emitter.is_independent(op)) emitter.flush();
  if (op.fusing == Fusing::kCall && emit_scalar(code_, op, needs_scc(op))) return;
  emitter.flush();
  const bool may_stay = all && op.fusing == Fusing::kMask;
  const size_t unchanged = may_stay ? emit_unchanged(emitter, op, lanes_ == 64, needs_scc(op)) : 0;
  call(op, all);
  if (active == Lanes::kFirst) code_.begin_first(scalar_place(kExec));
  if (op.fusing != Fusing::kMask) return;
  code_.compare_byte({kWave, int32_t(offsetof(Wave, full))}, 0);
  const size_t still = code_.jump_if(kNotEqual);
  go_to(*(&op + 1));
  code_.land(still);
  if (unchanged != 0) code_.land(unchanged);
}

bool Translator::perform_known(LinearTranslator& linear, Emitter& run, Values& values, const Op& op) {
  if (op.fusing == Fusing::kNothing || op.fusing == Fusing::kIfNone) return true;
  if (linear.may_emit(op)) {
    if (!linear.can_precede_run(op)) run.flush();
    if (linear.emit(op)) return true;
  }
  if (linear.emit_bounds(op, run)) return true;
  if (is_emitted(op)) {
    run.add(op);
    if (op.fusing != Fusing::kMask) return true;
    run.flush();
    code_.test_collected(lanes_ == 64);
    linear.begin(op);
    linear.exit_if(kNotEqual, op);
    return true;
  }
  if (op.fusing == Fusing::kMask) {
    run.flush();
    return linear.emit_mask(op, needs_scc(op));
  }
  if (linear.emit_access(op, run) || linear.emit_local_access(op, run) || add_local_load(linear, run, values, op))
    return true;
  if (!run.is_independent(op)) run.flush();
  if (emit_scalar(code_, op, needs_scc(op))) return true;
  run.flush();
  call(linear, values, op);
  return true;
}

// A register changes.
void Translator::forget_addresses(LinearTranslator& linear, const Operand& changed) {
  for (unsigned i = 0; changed.bank == Bank::kVector && i < changed.count; ++i) {
    grouped_.erase(changed.number + i);
    linear.forget_addresses(changed.number + i);
  }
}

bool Translator::add_local_load(LinearTranslator& linear, Emitter& run, Values& values, const Op& op) {
  const Access* const access = local_load(op);
  if (access == nullptr) return false;
  const unsigned number = op.operands[access->address].number;
  if (!grouped_.contains(number)) {
    if (run.writes(number) || grouped_.size() == kGroupedAddresses) run.flush();
    if (grouped_.size() == kGroupedAddresses) grouped_.clear();
    unsigned slot = 0;
    while (std::any_of(grouped_.begin(), grouped_.end(), [slot](const auto& one) { return one.second.slot == slot; }))
      ++slot;
    if (run.has_grouped(slot)) run.flush();
    values.materialize(code_, number);
    const Reach reach = reach_of_loads(&op, number);
    const Group& group = grouped_[number] = {slot, reach.is_one};
    group_addresses_of(linear, op, number, group, reach.extent);
  }
  const Group group = grouped_.at(number);
  const unsigned result = op.operands[access->result].number;
  for (unsigned i = 0; i < access->count; ++i)
    for (unsigned word = 0; word < access->words; ++word)
      run.add_grouped_load(result + i * access->words + word, group.slot,
                           int32_t(access->offsets[i] + kWordBytes * word), group.is_one);
  return true;
}

// Set a slot of Wave::grouped for the addresses in a register. In a loop they are mostly those of the last time.
void Translator::group_addresses_of(LinearTranslator& linear, const Op& op, unsigned number, const Group& group,
                                    uint32_t extent) {
  constexpr unsigned here = 8, difference = 9, different = 10;
  constexpr Vex with_or{1, 1, 0xeb}, with_xor{1, 1, 0xef};
  const unsigned width = code_.width();
  const auto place = [&group](size_t byte) {
    return At{kWave, int32_t(offsetof(Wave, grouped) + sizeof(GroupedAddresses) * group.slot + byte)};
  };
  const size_t known = group.is_one ? offsetof(GroupedAddresses, one_extent) : offsetof(GroupedAddresses, extent);
  code_.compare_32(place(known), extent);
  const size_t is_short = code_.jump_if(kBelow);
  for (unsigned i = 0; i < lanes_ / width; ++i) {
    code_.vector(kLoadRow, here, 0, row_place(number, i, lanes_, width));
    const At before = place(offsetof(GroupedAddresses, offsets) + kWordBytes * width * i);
    code_.vector(with_xor, i == 0 ? different : difference, here, before);
    if (i != 0) code_.vector(with_or, different, different, difference);
  }
  code_.test_zero(different);
  const size_t is_known = code_.jump_if(kEqual);
  code_.land(is_short);
  code_.move(kRdi, kWave);
  code_.constant(kRsi, number);
  code_.constant(kRdx, extent);
  code_.constant(kRcx, group.slot | width << 8 | uint32_t(group.is_one) << 16);
  code_.constant(kRax, reinterpret_cast<uint64_t>(&group_addresses));
  code_.call(kRax);
  code_.test(kRax, false);
  linear.begin(op);
  linear.exit_if(kEqual, op);
  code_.land(is_known);
}

// Call an operation's function, which needs rows.
void Translator::call(LinearTranslator& linear, Values& values, const Op& op) {
  std::vector<unsigned> numbers;
  for (unsigned i = 0; i < op.operand_count; ++i) {
    forget_addresses(linear, op.operands[i]);
    for (unsigned k = 0; op.operands[i].bank == Bank::kVector && k < op.operands[i].count; ++k)
      numbers.push_back(op.operands[i].number + k);
  }
  for (const unsigned number : numbers) {
    values.materialize(code_, number);
    values.claim(code_, number);
    values.set_row(number);
  }
  call(op, true);
}

void Translator::call(const Op& op, bool all) {
  std::vector<size_t> others;
  const bool is_row = all && emit_row_access(code_, op, lanes_, others);
  const size_t done = is_row ? code_.jump() : 0;
  for (const size_t other : others) code_.land(other);
  prepare(op);
  code_.call(kRax);
  if (is_row) code_.land(done);
}

}  // namespace hipport::emulate
