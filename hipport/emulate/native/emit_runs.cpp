// SPDX-License-Identifier: MIT
#include "emit.h"

#include <algorithm>
#include <cstddef>

namespace hipport::emulate {
namespace {

constexpr Vex kAnd{1, 1, 0xdb}, kXor{1, 1, 0xef}, kPermute{1, 2, 0x36};
constexpr uint32_t kSignBit = 0x80000000u;
constexpr At kExecPlace = {kWave, int32_t(offsetof(Wave, scalars) + 4 * kExec)};
constexpr At kActiveLanes = {kWave, int32_t(offsetof(Wave, active_lanes))};
// Masks among the owners of registers, which are numbers of vector registers otherwise; and the one that is tested.
constexpr int kMaskOwner = 4096;
constexpr unsigned kTestedMask = kScalars;
// The same for the words to load from grouped addresses.
constexpr int kIndexOwner = kMaskOwner + 512;
static_assert(kTestedMask < 512);
// Registers that keep addresses while a chunk is translated.
constexpr Register kAddressRegisters[] = {kRdx, kRsi, kRdi};
constexpr size_t kMostSteps = 256;

At address_place(unsigned number) { return {kWave, int32_t(offsetof(Wave, addresses) + sizeof(uint64_t) * number)}; }

At grouped_place(unsigned slot, size_t byte) {
  return {kWave, int32_t(offsetof(Wave, grouped) + sizeof(GroupedAddresses) * slot + byte)};
}

// Return the number of the mask that an operation writes, or kNull.
unsigned written_mask(const Op& op) {
  const uint8_t mask = op.emission->mask;
  return mask == kNoMask ? unsigned(kNull) : mask == kTested ? kTestedMask : unsigned(op.operands[mask].number);
}

}  // namespace

// ---- registers of the host ----

int HostRegisters::find_free() const {
  int found = kNone;
  for (const uint8_t one : all_) {
    const State& state = states_[one];
    if (is_reserved(one)) continue;
    if (state.owner == kNone) return one;
    const bool is_kept = state.pinned || state.owner == kTemporary || (state.owner >= kMaskOwner && state.changed);
    if (!is_kept && (found == kNone || state.age < states_[unsigned(found)].age)) found = one;
  }
  return found;
}

int HostRegisters::find(int owner) const {
  for (const uint8_t one : all_)
    if (states_[one].owner == owner) return one;
  return kNone;
}

void HostRegisters::own(unsigned number, int owner, bool changed) {
  states_[number].owner = owner;
  states_[number].changed = changed;
  use(number);
}

void HostRegisters::end_operation() {
  for (State& state : states_) {
    if (state.owner == kTemporary) state = {};
    state.pinned = false;
  }
}

unsigned Emitter::take(HostRegisters& file) {
  const int number = file.find_free();
  if (number < 0) throw Fault("an operation needs more registers than the processor has");
  give_up(file, unsigned(number));
  file.own(unsigned(number), HostRegisters::kTemporary, false);
  return unsigned(number);
}

void Emitter::give_up(HostRegisters& file, unsigned number) {
  const int owner = file.owner(number);
  if (owner < 0 || owner >= kMaskOwner || !file.is_changed(number)) return;
  const auto read = last_reads_.find(unsigned(owner));
  if ((read != last_reads_.end() && read->second >= at_) || is_needed(unsigned(owner), only_))
    store_row(number, unsigned(owner));
}

// A register becomes that of an owner; the one before is free after the operation, which may still read it.
void Emitter::take_over(HostRegisters& file, unsigned from, int owner) {
  const int before = file.find(owner);
  if (before >= 0 && unsigned(before) != from) file.own(unsigned(before), HostRegisters::kTemporary, false);
  file.own(from, owner, true);
  if (owner < kMaskOwner) loads_.erase(unsigned(owner));
}

// ---- runs ----

void Emitter::will_write(unsigned number) {
  if (values_ == nullptr) return;
  values_->claim(assembler_, number);
}

bool Emitter::can_add(const Op& op) const {
  const auto is_written = [this](unsigned number, unsigned count, bool exactly) {
    return std::any_of(masks_.begin(), masks_.end(), [=](unsigned mask) {
      return mask != kTestedMask && Range{mask, 2}.overlaps(number, count) && !(exactly && mask == number);
    });
  };
  const Emission& how = *op.emission;
  const unsigned mask = written_mask(op);
  const bool is_new = mask != kNull && std::find(masks_.begin(), masks_.end(), mask) == masks_.end();
  if (steps_.size() == kMostSteps || (is_new && masks_.size() == kMasks - 1)) return false;
  if (mask == kTestedMask) return masks_.empty();
  for (unsigned i = 0; i < op.operand_count; ++i) {
    const Operand& one = op.operands[i];
    const bool is_mask = i == how.mask || (how.reads_mask && i + 1u == op.operand_count);
    if (one.bank == Bank::kScalar && is_written(one.number, 2, is_mask)) return false;
  }
  return true;
}

void Emitter::note_scalars(const Op& op) {
  for (unsigned i = 0; i < op.operand_count; ++i)
    if (op.operands[i].bank == Bank::kScalar) read_.push_back({op.operands[i].number, 2});
  const unsigned mask = written_mask(op);
  if (mask != kNull && std::find(masks_.begin(), masks_.end(), mask) == masks_.end()) masks_.push_back(mask);
}

bool Emitter::is_independent(const Operand& scalar) const {
  if (scalar.bank != Bank::kScalar) return true;
  const unsigned count = std::max<unsigned>(scalar.count, 2);
  return std::none_of(read_.begin(), read_.end(),
                      [&](const Range& range) { return range.overlaps(scalar.number, count); });
}

bool Emitter::is_independent(const Op& op) const {
  if (op.access == AccessKind::kScalar && op.extra != nullptr) return steps_.empty();  // an offset in a register
  for (unsigned i = 0; i < op.operand_count; ++i)
    if (!is_independent(op.operands[i])) return false;
  return true;
}

void Emitter::add(const Op& op) {
  if (!can_add(op)) flush();
  // An operation that may change the active lanes is performed again if it does.
  position_ = op.fusing == Fusing::kMask ? &op : &op + 1;
  const Operand& result = op.operands[0];
  const unsigned words = op.fusing == Fusing::kCall && result.bank == Bank::kVector ? result.count : 0;
  for (unsigned i = 0; i < words; ++i) will_write(result.number + i);
  op_ = &op;
  Step step;
  step.op = &op;
  for (unsigned i = 0; i < op.emission->arguments && values_ != nullptr; ++i)
    for (unsigned which = 0; which < 2; ++which)
      if (operand(i).bank == Bank::kVector) step.sources[i][which] = values_->at(operand(i).number + which);
  for (unsigned i = 0; i < words && values_ != nullptr; ++i) values_->set_row(result.number + i);
  note_scalars(op);
  steps_.push_back(step);
}

unsigned Emitter::add_address() {
  assembler_.store_64(kRax, address_place(addresses_));
  return addresses_++;
}

void Emitter::add_load(unsigned number, unsigned address, int32_t offset, bool is_one) {
  will_write(number);
  values_->set_row(number);
  Step step;
  step.number = number;
  step.address = address;
  step.offset = offset;
  step.is_one = is_one;
  steps_.push_back(step);
}

void Emitter::add_grouped_load(unsigned number, unsigned slot, int32_t offset, bool is_one) {
  add_load(number, slot, offset, is_one);
  steps_.back().is_grouped = true;
}

bool Emitter::has_grouped(unsigned slot) const {
  return std::any_of(steps_.begin(), steps_.end(),
                     [slot](const Step& step) { return step.is_grouped && step.address == slot; });
}

bool Emitter::writes(unsigned number) const {
  return std::any_of(steps_.begin(), steps_.end(), [number](const Step& step) {
    if (step.op == nullptr) return step.number == number;
    const Operand& result = step.op->operands[0];
    return result.bank == Bank::kVector && Range{result.number, result.count}.overlaps(number, 1);
  });
}

bool Emitter::uses(unsigned number, unsigned count) const {
  return std::any_of(steps_.begin(), steps_.end(), [=](const Step& step) {
    if (step.op == nullptr) return Range{step.number, 1}.overlaps(number, count);
    const Operand* const first = step.op->operands;
    return std::any_of(first, first + step.op->operand_count, [=](const Operand& one) {
      return one.bank == Bank::kVector && Range{one.number, std::max<unsigned>(one.count, 1)}.overlaps(number, count);
    });
  });
}

void Emitter::flush_for(const unsigned* only) {
  if (steps_.empty()) return;
  for (chunk_ = 0; chunk_ < chunks(); ++chunk_) {
    perform_steps(only);
    end_chunk(only);
  }
  end_run();
}

bool Emitter::can_store(unsigned part) const {
  constexpr size_t most_of_an_operation = 12;
  return !steps_.empty() && registers_.all().size() >= part + most_of_an_operation;
}

// Perform the run for a chunk, and keep a register.
void Emitter::keep(unsigned number) {
  perform_steps(&number);
  kept_.push_back(vector_word(number, values_->at(number)));
  registers_.reserve(kept_.back());
  loads_.clear();
  collect_masks();
}

bool Emitter::flush_kept(unsigned number) {
  if (!can_store(chunks())) return false;
  for (chunk_ = 0; chunk_ < chunks(); ++chunk_) keep(number);
  end_run();
  return true;
}

void Emitter::flush_storing(unsigned number, int32_t offset, unsigned part) {
  assembler_.store_64(kRax, address_place(kAddresses));
  for (unsigned first = 0; first < chunks(); first += part) {
    for (chunk_ = first; chunk_ < first + part; ++chunk_) keep(number);
    assembler_.load_64(kRax, address_place(kAddresses));
    store_kept({kRax, offset}, first);
  }
  end_run();
}

// Store what was kept for the chunks from `first` on.
void Emitter::store_kept(At memory, unsigned first) {
  for (unsigned i = 0; i < kept_.size(); ++i) {
    const int32_t distance = int32_t(4 * assembler_.width() * (first + i));
    assembler_.vector(kStoreRow, kept_[i], 0, At{memory.base, memory.displacement + distance});
  }
  kept_.clear();
  registers_.release();
}

void Emitter::perform_steps(const unsigned* only) {
  kept_addresses_.clear();
  if (chunk_ == 0) find_last_reads();
  only_ = only;
  for (at_ = 0; at_ < steps_.size(); ++at_)
    if (const Step& step = steps_[at_]; step.op == nullptr)
      take_over_load(step);
    else
      perform(step);
}

void Emitter::find_last_reads() {
  last_reads_.clear();
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].op == nullptr) continue;
    const Op& op = *steps_[i].op;
    for (const Operand& operand : op.operands)
      for (unsigned word = 0; operand.bank == Bank::kVector && word < std::max<unsigned>(operand.count, 2); ++word)
        last_reads_[operand.number + word] = i;
  }
}

void Emitter::end_run() {
  store_masks();
  clear_run();
}

void Emitter::clear_run() {
  steps_.clear();
  masks_.clear();
  read_.clear();
  addresses_ = 0;
  ++number_;
}

void Emitter::perform(const Step& step) {
  step_ = &step;
  op_ = step.op;
  for (auto& argument : loaded_) argument[0] = argument[1] = HostRegisters::kNone;
  op_->emission->emit(*this, *op_->emission);
  registers_.end_operation();
  mask_registers_.end_operation();
}

// A load is performed when its result is used, or at the end.
void Emitter::take_over_load(const Step& step) {
  if (const int before = registers_.find(int(step.number)); before >= 0)
    registers_.own(unsigned(before), HostRegisters::kTemporary, false);
  registers_.end_operation();
  loads_[step.number] = &step;
}

// Return a register with the address of a load. It keeps that until the chunk ends, if there are registers left.
Register Emitter::address_of(const Step& step) {
  const std::pair key{step.is_grouped, step.address};
  if (const auto found = kept_addresses_.find(key); found != kept_addresses_.end()) return found->second;
  const size_t kept = kept_addresses_.size();
  const Register to = kept < std::size(kAddressRegisters) ? kAddressRegisters[kept] : kRcx;
  if (to != kRcx) kept_addresses_.emplace(key, to);
  const size_t byte = offsetof(GroupedAddresses, at) + sizeof(uint8_t*) * chunk_;
  assembler_.load_64(to, step.is_grouped ? grouped_place(step.address, byte) : address_place(step.address));
  return to;
}

unsigned Emitter::index_of(unsigned slot) {
  const int owner = kIndexOwner + int(slot);
  if (const int found = registers_.find(owner); found >= 0) return registers_.use(unsigned(found)), unsigned(found);
  const unsigned to = take(registers_);
  assembler_.vector(kMoveRow, to, 0, grouped_place(slot, offsetof(GroupedAddresses, index)));
  registers_.own(to, owner, false);
  return to;
}

unsigned Emitter::load(const Step& step) {
  const Register address = address_of(step);
  unsigned to;
  if (step.is_grouped && !step.is_one) {
    const unsigned index = index_of(step.address);
    to = take(registers_);
    assembler_.vector(kPermute, to, index, At{address, step.offset});
  } else {
    to = take(registers_);
    const At from{address, step.offset + (step.is_one ? 0 : int32_t(4 * assembler_.width() * chunk_))};
    assembler_.vector(step.is_one ? kRepeatWord : kLoadRow, to, 0, from);
  }
  take_over(registers_, to, int(step.number));
  return to;
}

bool Emitter::is_dead(unsigned number) const {
  if (liveness_ == nullptr || position_ == nullptr || (values_ != nullptr && values_->needs_row(number))) return false;
  return liveness_->is_dead(*position_, number);
}

bool Emitter::is_needed(unsigned number, const unsigned* only) const {
  return only == nullptr ? !is_dead(number) : number == *only;
}

void Emitter::end_chunk(const unsigned* only) {
  std::erase_if(loads_, [&](const auto& one) { return !is_needed(one.first, only); });
  while (!loads_.empty()) {
    load(*loads_.begin()->second);
    registers_.end_operation();
  }
  for (const uint8_t one : registers_.all())
    if (const int owner = registers_.owner(one); owner >= 0 && owner < kMaskOwner && is_needed(unsigned(owner), only))
      give_up(registers_, one);
  collect_masks();
}

void Emitter::collect_masks() {
  for (unsigned i = 0; i < masks_.size(); ++i) {
    assembler_.mask_to_rax(unsigned(mask_file().find(kMaskOwner + int(masks_[i]))));
    assembler_.collect(i, chunk_);
  }
  registers_.clear();
  mask_registers_.clear();
}

void Emitter::store_masks() {
  constexpr uint8_t and_with = 0x21;
  const bool wide = lanes_ == 64;
  for (unsigned i = 0; i < masks_.size(); ++i) {
    if (masks_[i] == kTestedMask) continue;
    assembler_.load_collected(i);
    if (active_ != Lanes::kAll) assembler_.compute_with(and_with, kRax, kExecPlace, wide);
    const At place = scalar_place(masks_[i]);
    wide ? assembler_.store_64(kRax, place) : assembler_.store_32(kRax, place);
  }
}

// ---- operands and results ----

const Operand& Emitter::operand(unsigned argument) const {
  const Places& places = *static_cast<const Places*>(op_->extra);
  const bool is_result = places.result_is_argument && argument + 1 == op_->emission->arguments;
  return op_->operands[is_result ? 0 : places.first_argument + argument];
}

// Packed instructions change signs themselves.
bool Emitter::changes_sign(unsigned argument) const {
  return !op_->emission->packed && ((op_->modifiers.absolute | op_->modifiers.negate) >> argument & 1);
}

unsigned Emitter::change_sign(unsigned argument, unsigned from) {
  const unsigned to = take(registers_);
  if (op_->modifiers.absolute >> argument & 1)
    assembler_.vector(kAnd, to, from, assembler_.repeated(~kSignBit)), from = to;
  if (op_->modifiers.negate >> argument & 1) assembler_.vector(kXor, to, from, assembler_.repeated(kSignBit));
  return to;
}

unsigned Emitter::uniform_word(unsigned argument, unsigned which) {
  const Operand& from = operand(argument);
  const unsigned to = take(registers_);
  if (from.bank == Bank::kScalar)
    assembler_.vector(kRepeatWord, to, 0, scalar_place(from.number + which));
  else if (const uint32_t* const constants = op_->constants[argument]; constants != nullptr)
    assembler_.vector(kMoveRow, to, 0, assembler_.repeated(constants[which * kMaxLanes]));
  return to;
}

unsigned Emitter::vector_word(unsigned number, const Value& value) {
  if (const int found = registers_.find(int(number)); found >= 0)
    return registers_.use(unsigned(found)), unsigned(found);
  if (const auto found = loads_.find(number); found != loads_.end()) return load(*found->second);
  const unsigned to = take(registers_);
  if (value.form != Value::Form::kRow)
    values_->load(assembler_, value, number, chunk_, to);
  else
    assembler_.vector(kMoveRow, to, 0, row(number));
  registers_.own(to, int(number), false);
  return to;
}

unsigned Emitter::word(unsigned argument, unsigned which) {
  int& loaded = loaded_[argument][which];
  if (loaded >= 0) return unsigned(loaded);
  const Operand& from = operand(argument);
  unsigned found = from.bank == Bank::kVector ? vector_word(from.number + which, step_->sources[argument][which])
                                              : uniform_word(argument, which);
  if (which == 0 && changes_sign(argument)) found = change_sign(argument, found);
  loaded = int(found);
  return found;
}

// Whether a register of the host has the register that the result is written to.
bool Emitter::is_result(unsigned from) const {
  return op_->operands[0].bank == Bank::kVector && registers_.owner(from) == int(op_->operands[0].number);
}

unsigned Emitter::copy(unsigned argument) {
  const unsigned from = low(argument);
  if (registers_.owner(from) == HostRegisters::kTemporary || is_result(from)) return from;
  const unsigned to = take(registers_);
  assembler_.vector(kMoveRow, to, 0, from);
  return to;
}

unsigned Emitter::load_mask(unsigned argument) {
  const unsigned number = operand(argument).number;
  HostRegisters& file = mask_file();
  const int owner = kMaskOwner + int(number);
  if (const int found = file.find(owner); found >= 0) return file.use(unsigned(found)), unsigned(found);
  const unsigned to = take(file);
  assembler_.load_mask(to, scalar_place(number), chunk_);
  file.own(to, owner, false);
  return to;
}

void Emitter::store(unsigned from, unsigned word) { take_over(registers_, from, int(op_->operands[0].number + word)); }

void Emitter::store_mask(unsigned from) {
  if (const unsigned number = written_mask(*op_); number != kNull)
    take_over(mask_file(), from, kMaskOwner + int(number));
}

void Emitter::store_row(unsigned from, unsigned number) {
  if (active_ == Lanes::kAll) return assembler_.vector(kStoreRow, from, 0, row(number));
  assembler_.store_active(from, row(number), chunk_, active_, kExecPlace, kActiveLanes);
}

}  // namespace hipport::emulate
