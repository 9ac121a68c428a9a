// SPDX-License-Identifier: MIT
// Writes the machine code of single operations, for fuse.cpp.
#pragma once

#include "emit_registers.h"
#include "fuse.h"
#include "lanes.h"
#include "liveness.h"
#include "values.h"

#include <array>
#include <map>
#include <vector>

namespace hipport::emulate {

// Which of the host's registers of a kind have what: values of the wavefront's registers, or something temporary.
class HostRegisters {
 public:
  static constexpr int kNone = -1, kTemporary = -2;
  explicit HostRegisters(const std::vector<uint8_t>& all) : all_(all) {}

  // Return a register that is free, or the one of those that may be given up that was used least recently, or kNone.
  int find_free() const;
  // Return where something is, or kNone.
  int find(int owner) const;
  void own(unsigned number, int owner, bool changed);
  void use(unsigned number) { states_[number].pinned = true, states_[number].age = ++clock_; }
  int owner(unsigned number) const { return states_[number].owner; }
  bool is_changed(unsigned number) const { return states_[number].changed; }
  // What is left after an operation may be given up; after a chunk, all is.
  void end_operation();
  void clear() { states_ = {}; }
  // Reserve a register, which is not given up before `release`.
  void reserve(unsigned number) { reserved_ |= 1u << number; }
  void release() { reserved_ = 0; }
  bool is_reserved(unsigned number) const { return reserved_ >> number & 1; }
  const std::vector<uint8_t>& all() const { return all_; }

 private:
  struct State {
    int owner = kNone;
    bool changed = false, pinned = false;  // pinned: the current operation uses it
    unsigned age = 0;
  };
  const std::vector<uint8_t>& all_;
  std::array<State, 32> states_{};
  uint32_t reserved_ = 0;
  unsigned clock_ = 0;
};

// Translates runs of operations on vector registers: all of them for a part of the wavefront, then for the next part, so
// that values stay in the host's registers. What a run changes is in memory after `flush`.
class Emitter {
 public:
  // `values` is what is known of registers, or null if all have rows.
  Emitter(Assembler& assembler, unsigned lanes, Lanes active, Values* values = nullptr)
      : assembler_(assembler),
        lanes_(lanes),
        active_(active),
        values_(values),
        registers_(assembler.value_registers()),
        mask_registers_(assembler.mask_registers()) {}

  // Do not store what the active lanes have in registers that are dead. Without this, all are stored.
  void use(const Liveness* liveness) { liveness_ = liveness; }
  // The operations before this one have been translated or are in the run.
  void set_position(const Op& op) { position_ = &op; }
  // Add an operation that `is_emitted` to the run.
  void add(const Op& op);
  // Add a load to a register: of consecutive words, or of one for all lanes. `address` is one that `add_address` returned.
  void add_load(unsigned number, unsigned address, int32_t offset, bool is_one);
  // The same for each of several words behind the addresses in Wave::grouped. `is_one`: they are one for each 16 lanes.
  void add_grouped_load(unsigned number, unsigned slot, int32_t offset, bool is_one);
  bool is_empty() const { return steps_.empty(); }
  bool has_grouped(unsigned slot) const;
  // Return the operation that the run is, or null if it is more, or less.
  const Op* only_operation() const { return steps_.size() == 1 ? steps_.front().op : nullptr; }
  // Leave the run out: nothing needs what it computes.
  void drop() { clear_run(); }
  // Return whether the run writes a register.
  bool writes(unsigned number) const;
  // Return whether the run reads or writes any of some registers.
  bool uses(unsigned number, unsigned count) const;
  // Return how many runs there were before: addresses last for one.
  unsigned number() const { return number_; }
  // Keep the address in rax for loads of the run, if there is room for one.
  bool has_room() const { return addresses_ < kAddresses; }
  unsigned add_address();
  // Write the run's code.
  void flush() { flush_for(nullptr); }
  // Write it where only one register is needed afterwards.
  void flush_last(unsigned number) { flush_for(&number); }
  // The same, and keep that register in registers of the host for `store_kept`, if they are many enough: return whether
  // they are.
  bool flush_kept(unsigned number);
  // Store the register that was kept for all lanes, one after the other.
  void store_kept(At memory) { store_kept(memory, 0); }
  // Return whether the run can keep a register for `part` chunks of it.
  bool can_store(unsigned part) const;
  // Write the run's code where only one register is needed afterwards: it is stored at the address in rax plus an offset,
  // `part` chunks at a time, when all that the run loads for them has been loaded.
  void flush_storing(unsigned number, int32_t offset, unsigned part);
  // Return whether a scalar operation may be performed before the run.
  bool is_independent(const Op& op) const;
  bool is_independent(const Operand& scalar) const;
  Assembler& code() { return assembler_; }

  // For the operation and the chunk that are translated:
  // Return the register with an argument's low or high word.
  unsigned low(unsigned argument) { return word(argument, 0); }
  unsigned high(unsigned argument) { return word(argument, 1); }
  // Return a register that may be changed, with the low word of an argument.
  unsigned copy(unsigned argument);
  // Return registers to compute in. Call it when all arguments were loaded.
  unsigned temporary() { return take(registers_); }
  unsigned mask() { return take(mask_file()); }
  // Return the mask that is an argument.
  unsigned load_mask(unsigned argument);
  // A register that may be changed has a word of the result.
  void store(unsigned from, unsigned word = 0);
  // The same for a mask.
  void store_mask(unsigned from);

  const Op& op() const { return *op_; }
  const Operand& operand(unsigned argument) const;
  bool is_constant(unsigned argument) const { return operand(argument).bank == Bank::kConstant; }
  uint32_t constant(unsigned argument) const { return op_->constants[argument][0]; }

 private:
  // An operation, or a load if `op` is null.
  struct Step {
    const Op* op = nullptr;
    Value sources[4][2]{};  // of arguments in vector registers, before the result is stored
    unsigned number = 0, address = 0;
    int32_t offset = 0;
    bool is_one = false, is_grouped = false;
  };
  struct Range {
    unsigned first, count;
    bool overlaps(unsigned number, unsigned size) const { return number < first + count && first < number + size; }
  };

  unsigned chunks() const { return active_ == Lanes::kFirst ? 1 : lanes_ / assembler_.width(); }
  HostRegisters& mask_file() {
    return &assembler_.mask_registers() == &registers_.all() ? registers_ : mask_registers_;
  }
  void will_write(unsigned number);
  bool can_add(const Op& op) const;
  void note_scalars(const Op& op);
  void flush_for(const unsigned* only);
  void keep(unsigned number);
  void store_kept(At memory, unsigned first);
  void perform_steps(const unsigned* only);
  void collect_masks();
  void end_run();
  void clear_run();
  void perform(const Step& step);
  void take_over_load(const Step& step);
  unsigned load(const Step& step);
  Register address_of(const Step& step);
  unsigned index_of(unsigned slot);
  bool is_dead(unsigned number) const;
  // Return whether a register is needed after the run: one of them, or those that are not dead if `only` is null.
  bool is_needed(unsigned number, const unsigned* only) const;
  void find_last_reads();
  // Store what has changed.
  void end_chunk(const unsigned* only);
  void store_masks();
  unsigned take(HostRegisters& file);
  void give_up(HostRegisters& file, unsigned number);
  unsigned word(unsigned argument, unsigned which);
  unsigned uniform_word(unsigned argument, unsigned which);
  unsigned vector_word(unsigned number, const Value& value);
  void take_over(HostRegisters& file, unsigned from, int owner);
  bool changes_sign(unsigned argument) const;
  unsigned change_sign(unsigned argument, unsigned from);
  bool is_result(unsigned from) const;
  void store_row(unsigned from, unsigned number);
  At row(unsigned number) const { return row_place(number, chunk_, lanes_, assembler_.width()); }

  Assembler& assembler_;
  unsigned lanes_;
  Lanes active_;
  Values* values_;
  const Liveness* liveness_ = nullptr;
  const Op* position_ = nullptr;
  HostRegisters registers_, mask_registers_;
  std::vector<Step> steps_;
  std::map<unsigned, size_t> last_reads_;  // the last step that reads a register
  size_t at_ = 0;                          // the step that is performed
  const unsigned* only_ = nullptr;         // the register that is needed after the run, or null for all
  std::vector<unsigned> masks_;            // those that the run writes, as they are collected
  std::vector<Range> read_;                // scalar registers
  unsigned addresses_ = 0, number_ = 0;
  std::vector<unsigned> kept_;                                    // of each chunk
  std::map<std::pair<bool, unsigned>, Register> kept_addresses_;  // of the chunk, by whether they are grouped and slot
  std::map<unsigned, const Step*> loads_;  // of the chunk, that are not performed yet, by the register
  const Op* op_ = nullptr;
  const Step* step_ = nullptr;
  int loaded_[4][2];  // registers of arguments
  unsigned chunk_ = 0;
};

// In place of an operand that is a mask: none, and one that is not stored but tested.
constexpr uint8_t kNoMask = 0xff, kTested = 0xfe;

// How to translate an operation with so many arguments.
struct Emission {
  unsigned arguments;
  void (*emit)(Emitter&, const Emission&);  // for each chunk
  bool (*can)(const Op&) = nullptr;         // null: always
  bool floats = false, packed = false;
  Vex instruction = {};
  uint8_t constant = 0;  // of the instruction
  bool reversed = false;
  Numbers numbers = Numbers::kSigned;  // of a comparison
  uint8_t mask = kNoMask;              // the operand that is a mask of all lanes, and is written
  bool reads_mask = false;             // the last operand is a mask
};

// Translate a scalar operation that does not change the active lanes. Return false if it must be called. scc is not set if
// nothing reads it: `needs_scc`.
bool emit_scalar(Assembler& code, const Op& op, bool needs_scc);

// What an operation does with scc, and what those do that emit_scalar() knows by name; others count as reading it.
enum class SccUse : uint8_t { kNone, kReads, kWrites };
SccUse scalar_scc_use(std::string_view name);

// Translate what is to be done by an operation that may change the active lanes if all are active and stay so. Return the
// jump that is made then, or 0 if the operation must be called.
size_t emit_unchanged(Emitter& emitter, const Op& op, bool lanes_are_64, bool needs_scc);

// Whether code was written for a scalar operation on exec that leaves all lanes active, and the jump that is made if it
// does not, or 0.
struct KeptMask {
  bool is_kept = false;
  size_t other = 0;
};
KeptMask emit_kept_mask(Assembler& code, const Op& op, bool lanes_are_64, bool needs_scc);

// Translate an access to global memory by all lanes for the case that their addresses are consecutive in each part of the
// wavefront. Return false if the access must be called. The jumps that are made for other addresses are added to `others`.
bool emit_row_access(Assembler& code, const Op& op, unsigned lanes, std::vector<size_t>& others);

}  // namespace hipport::emulate
