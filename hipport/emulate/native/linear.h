// SPDX-License-Identifier: MIT
// Arithmetic on vector registers that are linear in the lane: once for a wavefront instead of for each lane.
//
// What is computed holds as long as values stay linear: that no lane's address carries into the upper word, say, or that
// a comparison has one result for all lanes. Code checks that, and exits to the code for any values if it is not so.
#pragma once

#include "values.h"

#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace hipport::emulate {

class Emitter;

enum class LinearForm : uint8_t {
  kMove,
  kReadFirst,
  kAdd,
  kSubtract,
  kAddThree,
  kShiftLeft,
  kShiftAdd,
  kAddShift,
  kShiftRight,
  kField,
  kMultiply,
  kBits,
  kJoin,
  kShiftOr,
  kExtreme,
  kAddCarry,
  kAddWithCarry,
  kSubtractCarry,
  kShiftWide,
  kShiftAddWide,
  kMultiplyWide,
  kCompare,
  kCompareExec
};

// How an operation on linear registers is translated.
struct LinearEmission {
  LinearForm form;
  uint8_t detail = 0;  // a condition of the host, or part of an opcode
  bool reversed = false, is_signed = false;
};

// Return how a function of lanes with this name is computed on linear registers, or null.
const LinearEmission* find_linear(std::string_view name);

// Return whether an operation has no modifiers.
bool is_plain(const Op& op);

// A jump to the code for any values at an operation, with what was known of registers before it.
struct Exit {
  size_t jump;
  const Op* op;
  std::shared_ptr<const Values> values;
  std::shared_ptr<Emitter> run;  // what is to be done before, or null
};

// Translates operations on linear registers. Uses rax, rcx, rdx, rsi and rdi.
class LinearTranslator {
 public:
  // For operations before `end`, one after the other. After `last`, no register is needed; null if there is no such one.
  // `lanes` are those of a wavefront, or of all `wavefronts` of a row of threads together.
  LinearTranslator(Assembler& code, Values& values, const Emitter& run, unsigned lanes, unsigned wavefronts,
                   const Op* end, const Op* last)
      : code_(code), values_(values), run_(run), lanes_(lanes), wavefronts_(wavefronts), end_(end), last_(last) {}

  // Translate an operation, perhaps together with the next one, for which nothing is written then. Return false if its
  // operands are not linear, or its result would not be.
  bool emit(const Op& op);
  // Return whether an operation may be one that is translated: all vector registers that it reads are linear.
  bool may_emit(const Op& op) const;
  // Return whether such an operation may be performed before the run, whose operations come before it.
  bool can_precede_run(const Op& op) const;
  // Translate an access to global memory if its address is linear. The same for rows and for one word of all lanes. Loads
  // join the run of operations.
  bool emit_access(const Op& op, Emitter& run);
  // The same for words of local memory.
  bool emit_local_access(const Op& op, Emitter& run);
  // A register's value has changed: it may be either word of an address.
  void forget_addresses(unsigned number) {
    local_addresses_.erase(number);
    addresses_.erase(number);
    addresses_.erase(number - 1);
  }
  // Translate a comparison with what the run, which is only that, computes: the greater or the less of two linear registers,
  // needed no longer then. That all lanes are within bounds is so if two of them are. The run is dropped.
  bool emit_bounds(const Op& op, Emitter& run);
  // Translate a scalar operation on exec for the case that all lanes stay active.
  bool emit_mask(const Op& op, bool needs_scc);
  // Leave by a condition for the code that takes any values.
  void exit_if(uint8_t condition, const Op& op) { add_exit(code_.jump_if(condition), op); }
  // Begin with an operation.
  void begin(const Op& op) { op_ = &op, before_.reset(); }
  const std::vector<Exit>& exits() const { return exits_; }

 private:
  // A word of an argument.
  struct Term {
    enum class Kind : uint8_t { kNone, kConstant, kMemory } kind = Kind::kNone;
    uint32_t value = 0;
    At place{};
    uint32_t stride = 0;
    bool exact = true;
    int vector = -1;  // the vector register
    bool is_known() const { return kind != Kind::kNone; }
    bool is_uniform() const { return is_known() && stride == 0; }
    bool is_constant() const { return kind == Kind::kConstant; }
  };

  void add_exit(size_t jump, const Op& op);
  Term term(unsigned argument, unsigned which = 0) const;
  Term term_of(unsigned vector) const;
  void load(Register to, const Term& term);
  void load_pair(Register to, const Term& low, const Term& high);
  // Add, or perform another operation of the host, with a term.
  void combine(uint8_t operation, Register to, const Term& term);
  // Set rsi to what the last lane has if the first has what is in `first`.
  void last_lane(Register first, uint32_t stride, Register to = kRsi);
  // Exit if a value wraps around within the wavefront, as an unsigned or as a signed number.
  void keep_exact(Register first, uint32_t stride, bool is_signed = false);
  void keep_exact(Register loaded, const Term& term);
  // Store the base of the result in rax.
  bool finish(uint32_t stride, bool exact);
  bool finish_wide(uint32_t stride);
  void store_mask(Register from, unsigned operand);
  void load_carry(unsigned operand);
  void exit_if(uint8_t condition) { exit_if(condition, *op_); }
  unsigned result() const;

  // An address of the run that has the number.
  struct Address {
    unsigned place, run;
  };
  using Addresses = std::map<unsigned, Address>;  // by the register with the low word

  // Return an address of the run that a register has, if it was added.
  static std::optional<unsigned> found_address(const Addresses& all, unsigned number, const Emitter& run);
  void load_local_address(unsigned number, uint32_t extent);
  bool emit_local_store(const Op& op, Emitter& run);
  void store_row(unsigned number, At memory);
  void prefetch_behind(At row, bool to_write);
  bool emit_move(const LinearEmission& how);
  bool emit_read_first();
  bool emit_sum(const LinearEmission& how);
  bool emit_shift_left();
  bool emit_shifted_sum(const LinearEmission& how);
  bool emit_shift_right(const LinearEmission& how);
  bool emit_multiply();
  bool emit_and(const LinearEmission& how);
  bool emit_or(const LinearEmission& how);
  bool emit_extreme(const LinearEmission& how);
  const Op* next_of(const Op& op) const;
  static bool are_neighbors(const Term& low, const Term& high);
  bool emit_address();
  bool emit_carry(const LinearEmission& how);
  bool emit_shift_wide();
  bool emit_shift_add_wide();
  bool emit_multiply_wide();
  bool emit_compare(const LinearEmission& how);
  bool can_compare(const Op& op) const;
  void keep_within(const Term& side, const Term& bound, uint8_t condition, bool is_signed);
  bool compare_ends(const LinearEmission& how, const Term& a, const Term& b);

  Assembler& code_;
  Values& values_;
  const Emitter& run_;
  bool masks_are_wide() const { return lanes_ / wavefronts_ == 64; }

  unsigned lanes_, wavefronts_;
  const Op* end_;
  const Op* last_;
  const Op* op_ = nullptr;
  const Op* done_ = nullptr;  // an operation that was translated together with the one before
  std::shared_ptr<const Values> before_;
  std::vector<Exit> exits_;
  Addresses addresses_, local_addresses_;
};

}  // namespace hipport::emulate
