// SPDX-License-Identifier: MIT
// Writes the machine code of single operations, for fuse.cpp.
#pragma once

#include "emit_registers.h"
#include "fuse.h"
#include "lanes.h"
#include "values.h"

namespace hipport::emulate {

// Translates operations of vector registers, one part of the wavefront after the other.
class Emitter {
 public:
  // `values` is what is known of registers, or null if all have rows.
  Emitter(Assembler& assembler, unsigned lanes, Lanes active, Values* values = nullptr)
      : assembler_(assembler), lanes_(lanes), active_(active), values_(values) {}

  // Translate an operation that `is_emitted`. With values, results stay in registers, too, if there are enough.
  void perform(const Op& op);
  unsigned chunks() const { return (active_ == Lanes::kFirst ? 16 : lanes_) / assembler_.width(); }
  Assembler& code() { return assembler_; }

  // Return the register with a chunk of an argument's low or high word.
  unsigned low(unsigned argument) { return word(argument, 0); }
  unsigned high(unsigned argument) { return word(argument, 1); }
  // Return a register that may be changed, with the low word of an argument.
  unsigned copy(unsigned argument);
  // Load a chunk of a mask that is an argument.
  void load_mask(unsigned argument, Mask to);
  void compare(Numbers numbers, uint8_t condition, Mask to, unsigned a, unsigned b) {
    assembler_.compare(numbers, condition, to, chunk_, a, b);
  }
  // Add lanes to the result that is a mask. It is complete then.
  void add_to_result(Mask from) { assembler_.add_to_result(from, chunk_); }
  void keep_result() { assembler_.keep_result(chunk_); }
  // Store a chunk of a word of the result.
  void store(unsigned from, unsigned word = 0);

  const Op& op() const { return *op_; }
  const Operand& operand(unsigned argument) const;
  bool is_constant(unsigned argument) const { return operand(argument).bank == Bank::kConstant; }
  uint32_t constant(unsigned argument) const { return op_->constants[argument][0]; }

 private:
  void begin(const Op& op);
  void store_mask(unsigned operand);
  unsigned word(unsigned argument, unsigned which);
  unsigned uniform_word(unsigned argument, unsigned which);
  bool changes_sign(unsigned argument) const;
  void change_sign(unsigned argument, unsigned to, unsigned from);
  At row(unsigned number) const { return row_place(number, chunk_, lanes_, assembler_.width()); }

  Assembler& assembler_;
  unsigned lanes_;
  Lanes active_;
  Values* values_;
  Value sources_[4][2];   // of arguments in vector registers, before the result is stored
  bool is_loaded_[4][2];  // whether an argument that is the same for all lanes is in its register
  Held results_[2]{};     // where the words of the result go, if they stay in registers
  bool holds_ = false;
  const Op* op_ = nullptr;
  unsigned arguments_ = 0, chunk_ = 0;
};

constexpr uint8_t kNoMask = 0xff;

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
  uint8_t mask = kNoMask;              // the operand that is a mask of all lanes
};

// Translate a scalar operation that does not change the active lanes. Return false if it must be called.
bool emit_scalar(Assembler& code, const Op& op);

// Translate what is to be done by an operation that may change the active lanes if all are active and stay so. Return the
// jump that is made then, or 0 if the operation must be called.
size_t emit_unchanged(Emitter& emitter, const Op& op, bool lanes_are_64);

// Whether code was written for a scalar operation on exec that leaves all lanes active, and the jump that is made if it
// does not, or 0.
struct KeptMask {
  bool is_kept = false;
  size_t other = 0;
};
KeptMask emit_kept_mask(Assembler& code, const Op& op, bool lanes_are_64);

// Translate an access to global memory by all lanes for the case that their addresses are consecutive. Return false if the
// access must be called. `others` become the jumps that are made for other addresses.
bool emit_row_access(Assembler& code, const Op& op, unsigned lanes, size_t (&others)[2]);

}  // namespace hipport::emulate
